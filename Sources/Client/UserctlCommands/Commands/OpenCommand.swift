import ArgumentParser
import Model
import UserdAPI

struct OpenCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "open", abstract: "Write to a user, call or chat, with the program of your desktop.",
        discussion: """
            Opens the address that an action makes of the user's record, by xdg-open: mail and call, and those that `actions` \
            in config.yaml names, such as chats. Without an action, writes a mail. If the user lacks what the address needs, or \
            the action is unknown, nothing is opened, and the exit code is 1. A key of several words is quoted.

            Examples:
              userctl open anna@example.com
              userctl open anna.keller call
              userctl open happyfrog123 chat
              userctl open happyfrog123 chat --print
            """)

    @Argument(
        help: ArgumentHelp(
            "An id, a username, an email address, or words to search for.", valueName: "user"),
        completion: .userKey)
    var key: String

    @Argument(
        help: "The action: mail, call, or another one of config.yaml.",
        completion: .custom { _, _, _ in Console.current.actions().all.map(\.name) })
    var action = "mail"

    @Flag(help: "Print the address, and open nothing.")
    var print = false

    @OptionGroup var kind: KindOption
    @OptionGroup var quiet: QuietOption
    @OptionGroup var paths: PathOptions

    func run() async throws {
        let console = quiet.console
        let (actions, mistakes) = console.actions()
        let wanted = actions.first { $0.name == action }
        let mistake = wanted == nil ? mistakes.first { $0.action == action } : nil
        for other in mistakes where other != mistake { console.notice(other.text) }
        guard let chosen = wanted else { throw unknown(among: actions.map(\.name), mistake) }
        let connection = paths.connection(console)
        let reply = try await connection.user(matching: key, kinds: kind.kinds, console).decoded()
        let address = try reply.user.addressToOpen(for: chosen)
        if print {
            try console.print(address.text)
        } else {
            try Desktop.open(address, console.environment)
            // xdg-open does not say whether the machine has a program for the address.
            if console.errors.width != nil { console.notice("asked your desktop to open \(address.text)") }
        }
        console.note(reply.freshness, of: .users, connection.source)
    }

    private func unknown(among names: [String], _ mistake: ActionMistake?) -> CommandError {
        if let mistake {
            return CommandError(mistake.text, .failed, advice: "`userd --check-config` checks the whole file")
        }
        let list = names.joined(separator: ", ")
        if UserAction.builtIn.contains(where: { $0.name == action }) {
            // Perhaps nobody typed its name: it is the default.
            return CommandError(
                "the action \(action) is turned off in config.yaml", .failed,
                advice: names.isEmpty ? "there are no others" : "name another action: \(list)")
        }
        return CommandError(
            "no action is called “\(action)”\(didYouMean(action, among: names))", .failed,
            advice: names.isEmpty ? "there are none" : "the actions are \(list)",
            "`actions` in config.yaml adds one; a user's name of several words is quoted")
    }
}

extension User {
    /// The address that an action opens. Throws a `CommandError` if there is none.
    func addressToOpen(for action: UserAction) throws(CommandError) -> ActionAddress {
        guard let template = action.template else {
            throw CommandError("the action \(action.name) is turned off in config.yaml", .failed)
        }
        do throws(ActionTemplate.Obstacle) {
            return try template.address(value(of:))
        } catch {
            let show = "`userctl show \(shellQuoted(id))` shows what there is"
            switch error {
            case .missing(let column):
                throw CommandError(
                    "\(shownName) has no \(column.key), which the action \(action.name) needs", .failed,
                    advice: show)
            case .unusable(let column, let fault):
                throw CommandError(
                    "the \(column.key) of \(shownName) can't be used by the action \(action.name): "
                        + "it \(fault.rawValue)", .failed, advice: show)
            case .tooLong:
                throw CommandError(
                    "the address for \(shownName) would be too long to open", .failed,
                    advice: "give the action \(action.name) fewer fields in config.yaml")
            }
        }
    }

    /// The value of a column for an address: of names, the display name; of addresses and numbers, the first.
    func value(of column: UserColumn) -> String? {
        switch column {
        case .name: return shownName
        case .manager: return manager?.shownName
        case .email: return allEmails.map(\.value).first { !$0.isEmpty }
        case .phone: return allPhones.map(\.value).first { !$0.isEmpty }
        default:
            var user = self
            return column.fields[0].text(of: &user)
        }
    }
}
