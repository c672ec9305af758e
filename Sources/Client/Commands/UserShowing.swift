import CommandSupport
import Model
import UserdAPI

/// What `show` prints: which user, and how.
package struct UserShowing: Hashable, Sendable {
    /// An id, a username or an address.
    package var key: String
    package var format = UserFormat.table
    var draw = DrawOption.Way.auto
    package var quiet = false
    package var paths = Paths()

    func run() async throws {
        let console = Console.current.quiet(quiet)
        let connection = paths.connection(console)
        let answer = try await connection.user(key, console)
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
            try console.write([answer.member("user")], with: writer)
            try console.output.write(writer.end())
            isEmpty = writer.isEmpty()
        }
        console.note(reply.freshness, of: .users, source)
        if isEmpty { throw Outcome.failed }
    }
}
