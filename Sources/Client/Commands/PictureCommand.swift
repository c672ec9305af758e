import ArgumentParser
import CommandSupport
import Model
import UserdAPI

struct PictureCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "picture", abstract: "Draw a user's picture, or write it to a file.",
        discussion: """
            Draws the picture on a terminal; otherwise writes upstream's file to stdout.

            Examples:
              userctl picture anna@example.com
              userctl picture anna@example.com --draw blocks
              userctl picture happyfrog123 --size large --output frog.jpg
            """)

    @Argument(help: "An id, a username or an email address.", completion: .userKey)
    var key: String

    @Option(help: "The picture's size; by default the largest that is cached.")
    var size: PictureSize?

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp("Write the picture to this file; - is standard output.", valueName: "file"),
        completion: .file())
    var output: String?

    @OptionGroup var draw: DrawOption
    @OptionGroup var quiet: QuietOption
    @OptionGroup var paths: PathOptions

    func run() async throws {
        let console = quiet.console
        let isTerminal = console.output.width != nil
        if output == "-", isTerminal {
            throw CommandError(
                "a picture's file can't be written to a terminal", .usage,
                advice: "leave out --output to draw it, or name a file")
        }
        let drawing = draw.draw.drawing(console)
        if output == nil, isTerminal, drawing == nil {
            throw CommandError(
                "this terminal does not seem to show pictures", .failed,
                advice: "--output FILE writes it; --draw kitty, iterm2 or blocks draws it anyway")
        }

        let connection = paths.connection(console)
        let reply = try await connection.record(of: .users, console) {
            try await connection.read(.getPicture, \.getPicture, GetPicture(key: key, size: size))
        }.decoded()
        if let output, output != "-" {
            try writeAtomically(reply.file(), to: output)
        } else if let drawing {
            try console.show(
                reply.drawn(drawing, columns: console.output.width ?? 80, rows: 24, on: console.output))
        } else {
            try console.output.write(reply.file())
        }
        console.note(connection.source)
        if reply.placeholder {
            console.say("\(try await whyPlaceholder(connection)); this is a placeholder")
        }
    }

    private func whyPlaceholder(_ connection: Connection) async throws -> String {
        let user = try await connection.read(.getUser, \.getUser, GetUser(key: key)).decoded().user
        if user.picture == nil { return "this user has no picture" }
        return switch connection.source {
        case .daemon: "the picture is not available at the moment"
        case .cache: "the picture is not in the cache"
        }
    }
}

extension PictureSize: ExpressibleByArgument {}
