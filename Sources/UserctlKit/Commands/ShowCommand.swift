import ArgumentParser
import Model
import UserdAPI

package struct ShowCommand: AsyncParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show all that is known of one user.",
        discussion: """
            Examples:
              userctl show anna@example.com
              userctl show happyfrog123 --output json
            """)

    @Argument(help: "An id, a username or an email address.")
    var key: String

    @OptionGroup var format: FormatOption<DocumentFormat>
    @OptionGroup var paths: PathOptions

    package init() {}

    package func run() async throws {
        let console = Console.current
        let connection = paths.connection(console)
        let answer = try await connection.read(.getUser, \.getUser, GetUser(key: key))
        let reply = try answer.decoded()
        switch format.output {
        case .json: try console.write(document: answer.bytes)
        case .table: try console.show(UserCard(reply.user))
        }
        console.note(reply.freshness, of: .users, connection.source)
    }
}
