import ArgumentParser
import Browse
import CommandSupport
import Diagnostics
import Model
import UserdAPI

package struct ShowCommand: AsyncParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show one user.",
        discussion: """
            Draws the user's picture, too, if it is at hand and the terminal can show it: see --draw.

            Examples:
              userctl show anna@example.com
              userctl show happyfrog123 --output json
              userctl show happyfrog123 --output vcard > happyfrog123.vcf
            """)

    @Argument(help: "An id, a username or an email address.", completion: .userKey)
    var key: String

    @OptionGroup var format: FormatOption<UserFormat>
    @OptionGroup var draw: DrawOption
    @OptionGroup var paths: PathOptions

    package init() {}

    package func run() async throws {
        let console = Console.current
        let connection = paths.connection(console)
        let answer = try await connection.user(key, console)
        let reply = try answer.decoded()
        // The card's source; the picture may come from another one.
        let source = connection.source
        var printed = 1
        switch format.output.form(of: .getUser, console.destination, connection) {
        case .document: try console.write(document: answer.bytes)
        case .table:
            let portrait = await connection.portrait(
                of: reply.user.id, draw.drawing(console), on: console.output)
            try console.show(UserCard(reply.user, portrait: portrait))
        case .records(let writer):
            try console.output.write(writer.head(1))
            printed = try await console.write([answer.member("user")], with: writer)
        }
        console.note(reply.freshness, of: .users, source)
        if printed == 0 { throw Outcome.failed }
    }
}
