import ArgumentParser
import Glibc
import Model
import UserdAPI

struct ShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show users.",
        discussion: """
            Also draws the user's picture if it comes soon and the terminal can show it: see --draw. Several words are one \
            key. If no user has this key, searches for it. If several users are found, you choose on a terminal; otherwise they \
            are listed on stderr, by what tells them apart. If nobody is found, and one of the words is an id, a username or an \
            address, each word is a key of its own: the users follow one another, and if one is missing, the exit code is 1.

            --field prints only values, as in CSV but one a line; of name, the display name, else the first and the last name. A field that the user \
            does not have is an empty line, and the exit code is 0.

            Examples:
              userctl show anna@example.com
              userctl show anna keller
              userctl show berg
              userctl show anna keller --up
              userctl show anna@example.com happyfrog123
              userctl show happyfrog123 --field phone
              userctl show happyfrog123 --field name,city,born
              userctl show happyfrog123 --output json
              userctl show happyfrog123 --output vcard > happyfrog123.vcf
            """)

    @Argument(
        help: ArgumentHelp(
            "An id, a username, an email address, or words to search for; or several of these keys.",
            valueName: "user"),
        completion: .userKey)
    var words: [String]

    @Option(
        help: ArgumentHelp(
            "Print only these fields, by the names of --columns of userctl list, separated by commas.",
            valueName: "names"),
        completion: .columns, transform: UserColumn.reader("field"))
    var field: [[UserColumn]] = []

    @Flag(help: "Show all managers, up to the head of all.")
    var up = false

    @OptionGroup var kind: KindOption
    @OptionGroup var header: HeaderOption
    @OptionGroup var format: FormatOption<UserFormat>
    @OptionGroup var draw: DrawOption
    @OptionGroup var quiet: QuietOption
    @OptionGroup var paths: PathOptions

    mutating func validate() throws {
        if !field.isEmpty, format.output != .table {
            throw ValidationError("--field prints plain values; leave out --output or --field.")
        }
        if up, !field.isEmpty || format.output != .table {
            throw ValidationError(
                "--up is for cards; `userctl org --up --output json` prints managers as data.")
        }
        try header.check(
            format.output, among: "CSV and mutt", hasHeader: [.csv, .mutt].contains(format.output))
    }

    func run() async throws {
        let console = quiet.console(format.output)
        try await format.output.print(to: console, hasHeader: header.hasHeader) { try await show(console) }
    }

    private func show(_ console: Console) async throws {
        let connection = paths.connection(console)
        let form = format.output.form(
            of: .getUser, console.destination, connection, hasHeader: header.hasHeader)
        let keys = await keys(connection)
        var (isMissing, shown) = (false, 0)
        for key in keys {
            do {
                let answer = try await answer(key, connection, console)
                switch form {
                case .records(let writer) where shown == 0: try console.output.write(writer.head)
                case .table where shown > 0 && field.isEmpty: try console.output.write([UInt8(ascii: "\n")])
                default: break
                }
                try await write(answer, form, isFirst: shown == 0, connection, console)
                shown += 1
            } catch {
                guard keys.count > 1, let error = CommandError(error), error.status == .failed else {
                    throw error
                }
                for line in error.lines { console.say(line) }
                isMissing = true
            }
        }
        if case .records(let writer) = form {
            try console.output.write(writer.end())
            if writer.isEmpty() { isMissing = true }
        }
        if isMissing { throw Outcome.failed }
    }

    private func write(
        _ answer: RawReply<UserReply>, _ form: ListForm, isFirst: Bool, _ connection: UserdOrCache,
        _ console: Console
    ) async throws {
        let reply = try answer.decoded()
        // The card's source; the picture may come from another one.
        let source = connection.source
        switch form {
        case .document: try console.write(document: answer.bytes)
        case .table where !field.isEmpty:
            try console.print(UserCells(field.flatMap(\.self)).values(of: answer.member("user")))
        case .table:
            let details = await connection.details(
                of: reply.user, draw.draw.drawing(console), on: console.output, up: up)
            try console.show(UserCard(user: reply.user, details: details, links: console.drawsLinks()))
        case .records(let writer): try console.write(record: answer.member("user"), with: writer)
        }
        if isFirst { console.note(reply.freshness, of: .users, source) }
    }

    /// The words as one key, if it is one or a search for it finds users. Otherwise each word, if one of them is a key by itself.
    private func keys(_ connection: UserdOrCache) async -> [String] {
        let key = words.joined(separator: " ")
        // Also one that several users have.
        func isKey(_ key: String) async -> Bool {
            do {
                _ = try await connection.read(.getUser, \.getUser, GetUser(key: key, kinds: kind.kinds))
                return true
            } catch {
                if case .ambiguous = UserdError(any: error) { return true } else { return false }
            }
        }
        guard words.count > 1, await !isKey(key) else { return [key] }
        let query = ListUsers(search: key, limit: 1) { $0.kinds = kind.kinds }
        let found = try? await connection.read(.listUsers, \.listUsers, query).decoded()
        guard let found, found.total == 0 else { return [key] }
        for word in words { if await isKey(word) { return words } }
        return [key]
    }

    private func answer(
        _ key: String, _ connection: UserdOrCache, _ console: Console
    ) async throws -> RawReply<UserReply> {
        try await connection.user(matching: key, kinds: kind.kinds, console) {
            guard format.output == .table, console.output.size() != nil,
                let screen = FullScreen(input: STDIN_FILENO, output: STDOUT_FILENO)
            else { return nil }
            return try BrowseSession(
                paths: paths.paths, console: console, purpose: .choosing, query: key, kinds: kind.kinds
            ).choose(on: screen)
        }
    }
}
