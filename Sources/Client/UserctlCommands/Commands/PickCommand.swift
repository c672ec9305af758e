import ArgumentParser
import Glibc
import Model
import StrictJSON
import UserdAPI

struct PickCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pick", abstract: "Choose users on a full screen, and print one of the fields.",
        discussion: """
            Draws on the terminal itself, so that stdout may be a pipe. Enter chooses the selected user. Tab marks users; \
            then Enter chooses the marked ones, in the order in which they were marked, each on a line of its own or, with \
            --separator, all on one line. Marks stay when the search changes. Esc clears the search, then the marks, then \
            leaves. If only near names are found, or a group or room comes first, none is selected before Up or Down. Ctrl-G \
            also finds groups, rooms and the like. If no user was chosen, nothing is \
            printed, and the exit code is 130.

            Examples:
              mail "$(userctl pick)"
              userctl pick berg --field phone
              userctl pick --separator ', '
              userctl pick --output json | jq -r .username
            """)

    enum Format: String, ExpressibleByArgument, CaseIterable { case text, json, ndjson }

    @Argument(help: "Start with a search for these words.")
    var words: [String] = []

    @Option(
        help: ArgumentHelp(
            """
            The field to print, by its name in --columns of userctl list; of several, separated by commas, there is a tab \
            between two. (default: email)
            """, valueName: "name"),
        completion: .columns, transform: UserColumn.reader("field"))
    var field: [UserColumn]?

    @Option(
        name: [.customShort("o", allowingJoined: true), .long],
        help: ArgumentHelp(
            "text is the field; ndjson, or json, the whole user on a line, as show --output ndjson.",
            valueName: "format"))
    var output = Format.text

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Print the fields of several users on one line, with this text between them.", valueName: "text"))
    var separator: String?

    @OptionGroup var kind: KindOption
    @OptionGroup var paths: PathOptions

    func validate() throws {
        guard separator == nil || output == .text else {
            throw ValidationError("--separator is for --output text; json has each user on a line.")
        }
    }

    func run() async throws {
        var console = Console.current
        let printed = console
        let terminal = open("/dev/tty", O_RDWR | O_CLOEXEC)
        guard terminal >= 0, let screen = FullScreen(input: terminal, output: terminal) else {
            throw CommandError(
                "pick needs a terminal", .usage, advice: "`userctl search WORDS` prints the users anywhere")
        }
        console.output = .descriptor(terminal, console.environment)
        try console.checkTerminal(for: "pick")
        let session = BrowseSession(
            paths: paths.paths, console: console, purpose: .choosingSeveral,
            query: words.joined(separator: " "), kinds: kind.kinds)
        let users = try session.run(on: screen)
        guard !users.isEmpty else { throw Outcome.interrupted }
        try await print(users, printed)
    }

    private func print(_ users: [User], _ console: Console) async throws {
        let connection = paths.paths.connection(console)
        let columns = field ?? [.email]
        let cells = UserCells(columns)
        var (values, without, isGone) = ([String](), [String](), true)
        for user in users {
            let record: JSONValue
            let kinds = user.kind.map { [$0] }
            do { record = try await connection.user(user.id, kinds: kinds, console).member("user") } catch
                where error.isUserNotFound
            {
                console.say("\(user.shownName) has left since")
                continue
            }
            isGone = false
            if output != .text {
                try console.write(json: jsonLine(record))
                continue
            }
            let fields = cells.values(of: record)
            if fields.contains(where: { !$0.isEmpty }) {
                values.append(fields.map(\.sanitised).joined(separator: "\t"))
            } else {
                without.append(user.shownName)
            }
        }
        if isGone { throw Outcome.failed }
        guard output == .text else { return }
        guard !values.isEmpty else {
            let (names, verb) = (without.joined(separator: ", "), without.count == 1 ? "has" : "have")
            throw CommandError(
                "\(names) \(verb) no \(UserColumn.keys(columns))", .failed,
                advice: "--field names another, --output json prints all")
        }
        for name in without { console.say("\(name) has no \(UserColumn.keys(columns))") }
        try console.output.write(values.joined(separator: separator ?? "\n") + "\n")
    }
}
