import Browse
import CommandSupport
import Glibc
import Model
import UserdAPI

/// What `show` prints: which user, and how.
package struct UserShowing: Hashable, Sendable {
    /// An id, a username or an address; else words to search for.
    package var key: String
    package var format = UserFormat.table
    var draw = DrawOption.Way.auto
    package var quiet = false
    package var paths = Paths()

    func run() async throws {
        let console = Console.current.quiet(quiet)
        let connection = paths.connection(console)
        let answer = try await answer(connection, console)
        let reply = try answer.decoded()
        // The card's source; the picture may come from another one.
        let source = connection.source
        var isEmpty = false
        switch format.form(of: .getUser, console.destination, connection) {
        case .document: try console.write(document: answer.bytes)
        case .table:
            let portrait = await connection.portrait(
                of: reply.user.id, draw.drawing(console), on: console.output)
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

    /// Who has this key, else the one who is found by its words. Where several are, a person chooses.
    private func answer(_ connection: Connection, _ console: Console) async throws -> RawReply<UserReply> {
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
                    "no user has the id, username or email address “\(key)”, or words that begin so", .failed,
                    advice: "`userctl list` lists all users")
            }
            if found.total == 1 { return try await connection.user(first.id, console) }
            if format == .table, console.output.size() != nil,
                let screen = FullScreen(input: STDIN_FILENO, output: STDOUT_FILENO)
            {
                let session = BrowseSession(
                    paths: paths, console: console, purpose: .choosing, query: key)
                return try await connection.user(session.choose(on: screen).id, console)
            }
            throw CommandError.ambiguous(key, found.users, total: found.total)
        }
    }
}
