import ArgumentParser
import UserdAPI

package struct PauseCommand: AsyncParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "pause", abstract: "Let nothing sync by itself, until it is resumed.",
        discussion: """
            It stays so when userd is started again, until `userctl resume`, or until the setting `paused` is changed. \
            What is cached is answered as ever, `userctl sync` and `userctl retry` still work, and a sync that runs goes \
            on to its end.

            Examples:
              userctl pause
              userctl pause && userctl status
            """)

    @OptionGroup var pausing: PausingOptions

    package init() {}

    package func run() async throws {
        try await pausing.set(paused: true)
        Console.current.say("paused: nothing syncs by itself until `userctl resume`")
    }
}

package struct ResumeCommand: AsyncParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "resume", abstract: "Let users and facts sync by themselves again.",
        discussion: """
            What became due in the meantime syncs at once.

            Examples:
              userctl resume
              userctl resume && userctl watch
            """)

    @OptionGroup var pausing: PausingOptions

    package init() {}

    package func run() async throws {
        try await pausing.set(paused: false)
        Console.current.say("resumed: users and facts sync by themselves")
    }
}

/// What `pause` and `resume` take.
struct PausingOptions: ParsableArguments {
    @Argument(help: .hidden)
    var words: [String] = []

    @OptionGroup var format: FormatOption<DocumentFormat>
    @OptionGroup var paths: PathOptions

    mutating func validate() throws {
        guard words.isEmpty else {
            throw ValidationError(
                "Users and facts are paused and resumed together: “\(words.joined(separator: " "))” can't be named alone."
            )
        }
    }

    func set(paused: Bool) async throws {
        let console = Console.current
        let userd = try paths.connection(console).userd()
        let reply = try await requested { try userd.setPaused(SetPaused(paused: paused)) }
        if format.output == .json { try console.write(document: reply.bytes) }
    }
}
