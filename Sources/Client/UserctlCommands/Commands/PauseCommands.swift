import ArgumentParser
import UserdAPI

struct PauseCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pause", abstract: "Stop automatic syncs until they are resumed.",
        discussion: """
            The pause outlasts restarts of userd. It ends with `userctl resume`, or when the setting `paused` is changed. \
            Reads, `userctl sync` and `userctl retry` still work, and a running sync finishes.

            Examples:
              userctl pause
              userctl pause && userctl status
            """)

    @OptionGroup var pausing: PausingOptions

    func run() async throws {
        try await pausing.set(paused: true)
        pausing.quiet.console.notice("paused: no automatic syncs until `userctl resume`")
    }
}

struct ResumeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "resume", abstract: "Resume automatic syncs.",
        discussion: """
            Syncs that became due in the meantime start at once.

            Examples:
              userctl resume
              userctl resume && userctl watch
            """)

    @OptionGroup var pausing: PausingOptions

    func run() async throws {
        try await pausing.set(paused: false)
        pausing.quiet.console.notice("resumed: automatic syncs go on")
    }
}

struct PausingOptions: ParsableArguments {
    @Argument(help: .hidden)
    var words: [String] = []

    @OptionGroup var format: FormatOption<DocumentFormat>
    @OptionGroup var quiet: QuietOption
    @OptionGroup var paths: PathOptions

    mutating func validate() throws {
        guard words.isEmpty else {
            throw ValidationError(
                "Unexpected argument “\(words.joined(separator: " "))”: users and facts are paused and resumed together."
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
