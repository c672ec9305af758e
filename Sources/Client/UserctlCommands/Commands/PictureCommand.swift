import ArgumentParser
import Model
import UserdAPI

struct PictureCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "picture", abstract: "Draw a user's picture, or write it to a file.",
        discussion: """
            Draws the picture on a terminal; otherwise writes upstream's file to stdout. If the picture is missing, \
            draws a placeholder on a terminal; otherwise writes nothing and exits with 1. Several words are one key. If no \
            user has this key, searches for it; several users are listed on stderr.

            Examples:
              userctl picture anna@example.com
              userctl picture anna keller
              userctl picture anna@example.com --draw blocks
              userctl picture happyfrog123 --size large --output frog.jpg
            """)

    @Argument(
        help: ArgumentHelp(
            "An id, a username, an email address, or words to search for.", valueName: "user"),
        completion: .userKey)
    var words: [String]

    @Option(help: "The picture's size; by default the largest that is cached.")
    var size: PictureSize?

    @Option(
        name: [.customShort("o", allowingJoined: true), .long],
        help: ArgumentHelp("Write the picture to this file; - is standard output.", valueName: "file"),
        completion: .file())
    var output: String?

    @OptionGroup var draw: DrawOption
    @OptionGroup var quiet: QuietOption
    @OptionGroup var paths: PathOptions

    func validate() throws {
        guard let output, UserFormat(rawValue: output) != nil else { return }
        throw ValidationError(
            "--output names a file, such as ./\(output); `userctl show USER --output json` prints the user.")
    }

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
        let (reply, key) = try await reply(connection, console)
        if output == nil, let drawing {
            try console.show(
                reply.drawn(drawing, columns: console.output.width ?? 80, rows: 24, on: console.output))
            console.note(connection.source)
            if reply.placeholder {
                console.say("\(try await absence(of: key, connection).reason); this is a placeholder")
            }
        } else if reply.placeholder {
            console.note(connection.source)
            let (reason, advice) = try await absence(of: key, connection)
            throw CommandError("\(reason); nothing was written", .failed, advice: advice)
        } else {
            try write(reply, console)
            console.note(connection.source)
        }
    }

    private func write(_ reply: PictureReply, _ console: Console) throws {
        guard let output, output != "-" else { return try console.output.write(reply.file()) }
        try writeAtomically(reply.file(), to: output)
        if let ending = reply.endingThatMisleads(in: output) {
            console.notice("the picture is \(reply.contentType), though the file's name ends in .\(ending)")
        }
    }

    /// The picture, and the key that found its user.
    private func reply(
        _ connection: UserdOrCache, _ console: Console
    ) async throws -> (PictureReply, key: String) {
        func picture(_ key: String) async throws -> (PictureReply, key: String) {
            let reply = try await connection.record(of: .users, console) {
                try await connection.read(.getPicture, \.getPicture, GetPicture(key: key, size: size))
            }
            return (try reply.decoded(), key)
        }
        let key = words.joined(separator: " ")
        do {
            return try await picture(key)
        } catch {
            return try await picture(connection.found(by: key, orThrow: error).id)
        }
    }

    private func absence(
        of key: String, _ connection: UserdOrCache
    ) async throws -> (reason: String, advice: [String]) {
        let user = try await connection.read(.getUser, \.getUser, GetUser(key: key, kinds: UserKind.allCases))
            .decoded().user
        if user.picture == nil { return ("this user has no picture", []) }
        return switch connection.source {
        case .daemon:
            ("the picture is not available at the moment", ["try again later; `userctl doctor` may say why"])
        case .cache: ("the picture is not in the cache", [startAdvice + ", which fetches it"])
        }
    }
}

extension PictureReply {
    /// The ending of the file's name if it stands for another format than the picture's.
    fileprivate func endingThatMisleads(in name: String) -> String? {
        let formats = [
            "jpg": "image/jpeg", "jpeg": "image/jpeg", "png": "image/png", "gif": "image/gif",
            "webp": "image/webp",
            "svg": "image/svg+xml",
        ]
        let parts = name.split(separator: ".")
        guard parts.count > 1, let ending = parts.last, let format = formats[ending.lowercased()],
            format != contentType
        else { return nil }
        return String(ending)
    }
}

extension PictureSize: ExpressibleByArgument {}
