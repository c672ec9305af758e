import ArgumentParser
import Browse
import CommandSupport
import Glibc
import MessageText
import Model
import StrictJSON

struct PickCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pick", abstract: "Choose a user on a full screen, and print one of the fields.",
        discussion: """
            Draws on the terminal itself, so that stdout may be a pipe. Enter chooses, Esc empties the search, then leaves. \
            If no user was chosen, nothing is printed, and the exit code is 130.

            Examples:
              mail "$(userctl pick)"
              userctl pick berg --field phone
              userctl pick --output json | jq -r .username
            """)

    enum Format: String, ExpressibleByArgument, CaseIterable { case text, json }

    @Argument(help: "Start with a search for these words.")
    var words: [String] = []

    @Option(help: "The field to print, by its name in CSV.", completion: .list(CSVColumns.user))
    var field = "email"

    @Option(
        name: [.customShort("o", allowingJoined: true), .long],
        help: ArgumentHelp("text is the field, json the whole user.", valueName: "format"))
    var output = Format.text

    @OptionGroup var paths: PathOptions

    func validate() throws {
        guard CSVColumns.user.contains(field) else {
            throw ValidationError(
                "“\(field)” is not a field of a user; fields are \(CSVColumns.user.joined(separator: ", ")).")
        }
    }

    func run() async throws {
        var console = Console.current
        let printed = console
        let terminal = open("/dev/tty", O_RDWR | O_CLOEXEC)
        guard terminal >= 0, let screen = FullScreen(input: terminal, output: terminal) else {
            throw CommandError(
                "pick needs a terminal", .usage, advice: "`userctl search WORDS` prints the users anywhere")
        }
        console.output = .descriptor(terminal, console.environment)
        try console.checkTerminal(for: "pick")
        let session = BrowseSession(
            paths: paths.paths, console: console, purpose: .choosing, query: words.joined(separator: " "))
        let user = try session.choose(on: screen)
        let record = try await paths.connection(printed).user(user.id, printed).member("user")
        guard output == .text else { return try printed.write(json: jsonLine(record)) }
        guard let value = FieldReader([field]).fields(of: record)[0], !value.isEmpty else {
            throw CommandError(
                "\(user.name.titled) has no \(field)", .failed,
                advice: "--field names another, --output json prints all")
        }
        try printed.output.write(Array((value.sanitised + "\n").utf8))
    }
}
