import ArgumentParser
import Browse
import CommandSupport
import Glibc
import Model
import UserdAPI

struct ShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show one user.",
        discussion: """
            Also draws the user's picture if it comes soon and the terminal can show it: see --draw. If no user has \
            this key, searches for it. If several users are found, you choose on a terminal; otherwise they are listed on \
            stderr.

            Examples:
              userctl show anna@example.com
              userctl show berg
              userctl show happyfrog123 --output json
              userctl show happyfrog123 --output vcard > happyfrog123.vcf
            """)

    @Argument(
        help: "An id, a username, an email address, or a word to search for.", completion: .userKey)
    var key: String

    @OptionGroup var format: FormatOption<UserFormat>
    @OptionGroup var draw: DrawOption
    @OptionGroup var quiet: QuietOption
    @OptionGroup var paths: PathOptions

    func run() async throws {
        let console = quiet.console
        let connection = paths.connection(console)
        let answer = try await answer(connection, console)
        let reply = try answer.decoded()
        // The card's source; the picture may come from another one.
        let source = connection.source
        var isEmpty = false
        switch format.output.form(of: .getUser, console.destination, connection) {
        case .document: try console.write(document: answer.bytes)
        case .table:
            let portrait = await connection.portrait(
                of: reply.user.id, draw.draw.drawing(console), on: console.output)
            try console.show(UserCard(reply.user, portrait: portrait))
        case .records(let writer):
            try console.output.write(writer.head)
            try console.write(record: answer.member("user"), with: writer)
            try console.output.write(writer.end())
            isEmpty = writer.isEmpty()
        }
        console.note(reply.freshness, of: .users, source)
        if isEmpty { throw Outcome.failed }
    }

    /// The user with this key, else the only one that a search finds. If there are several, asks which.
    private func answer(_ connection: UserdOrCache, _ console: Console) async throws -> RawReply<UserReply> {
        do {
            return try await connection.user(key, console)
        } catch {
            guard error.isUserNotFound, canSearch(key) else { throw error }
            let query = ListUsers(search: key, limit: CommandError.mostAmbiguous)
            guard let found = try? await connection.read(.listUsers, \.listUsers, query).decoded() else {
                throw error
            }
            guard let first = found.users.first else {
                throw CommandError(
                    "no user has the id, username or email address “\(key)”, or a word that begins with it",
                    .failed,
                    advice: "`userctl list` lists all users")
            }
            if found.total == 1 { return try await connection.user(first.id, console) }
            if format.output == .table, console.output.size() != nil,
                let screen = FullScreen(input: STDIN_FILENO, output: STDOUT_FILENO)
            {
                let session = BrowseSession(
                    paths: paths.paths, console: console, purpose: .choosing, query: key)
                return try await connection.user(session.choose(on: screen).id, console)
            }
            throw CommandError.ambiguous(key, found.users, total: found.total)
        }
    }
}
