import FoundationEssentials
import Glibc
import Model
import Platform
import TerminalViews
import UserdAPI

/// A command's dependencies: output, errors, clock, environment.
struct Console: Sendable {
    struct Output: Sendable {
        /// In cells; nil if it is not a terminal.
        var width: Int?
        var colour = false
        /// Other characters are escaped.
        var charset = Charset.unicode
        /// How it draws pictures; nil if it can't.
        var pictures: PictureDrawing?
        /// The current size, in cells; nil if it can't be redrawn: a file, or a dumb terminal.
        var size: @Sendable () -> (columns: Int, rows: Int)? = { nil }
        /// Ends the program when the reader of a pipe or socket closes it: for commands that may write nothing for hours.
        var endWithReader: @Sendable () -> Void = {}
        /// Gets bytes of the charset.
        let send: @Sendable ([UInt8]) throws -> Void

        func write(_ bytes: [UInt8]) throws {
            guard charset == .ascii else { return try send(bytes) }
            try send(Array(charset.shown(String(decoding: bytes, as: UTF8.self)).utf8))
        }

        func write(_ text: String) throws { try write(Array(text.utf8)) }

        /// A sanitised line, broken between words to fit the terminal; unchanged elsewhere.
        func filled(_ line: String, indent: Int = 2) -> String {
            guard let width else { return line }
            return charset.shown(line).filled(to: width, indent: indent).joined(separator: "\n")
        }

        func rendered(_ view: some View) -> [UInt8] {
            Array(render(view, width: width, colour: colour, charset: charset).utf8)
        }
    }

    var environment: Environment
    var clock: WallClock
    var sleep: @Sendable (Duration) async throws -> Void
    var output: Output
    var errors: Output
    var userd: @Sendable (_ socket: String) -> UserdClient = { .live(socket: $0, timeout: .seconds(3)) }
    /// A file's bytes, at most one more than userd reads; nil if it can't be read.
    var file: @Sendable (_ path: String) -> [UInt8]? = { try? RegularFile($0, upTo: 1 << 20 + 1).bytes }
    var person = Person.unknown
    /// Makes Ctrl-C say that the sync goes on; false undoes this.
    var sayAtInterrupt: @Sendable (_ syncGoesOn: Bool) -> Void = { _ in }
    /// Set by --quiet.
    private(set) var isQuiet = false

    @TaskLocal static var current = Console.live

    private static let live: Console = {
        let environment = ProcessInfo.processInfo.environment
        return Console(
            environment: environment, clock: .system, sleep: { try await Task.sleep(for: $0) },
            output: .descriptor(STDOUT_FILENO, environment), errors: .descriptor(STDERR_FILENO, environment),
            person: .live(environment), sayAtInterrupt: UserctlCommands.sayAtInterrupt)
    }()

    /// The console without notices.
    func quiet(_ isQuiet: Bool) -> Console {
        var console = self
        console.isQuiet = isQuiet
        return console
    }

    /// Writes a line to stderr, unless --quiet is given.
    func notice(_ message: String) { if !isQuiet { say(message) } }
}

extension Console {
    /// Writes sanitised lines to stdout at once, so that a pipe into head(1) does not end userctl between two of them.
    func print(_ lines: [String]) throws { try output.write(lines.map { $0.sanitised + "\n" }.joined()) }

    func print(_ line: String) throws { try print([line]) }

    /// Writes JSON to stdout; control characters are escaped.
    func write(json: [UInt8]) throws { try output.write(destination.json(json)) }

    /// Writes a JSON document and a newline to stdout.
    func write(document json: [UInt8]) throws {
        var document = documentOutput
        try document.write(json + [UInt8(ascii: "\n")])
    }

    var documentOutput: DocumentOutput { DocumentOutput(self) }

    /// Draws a view on stdout.
    func show(_ view: some View) throws { try output.write(output.rendered(view)) }

    /// Draws a view on stderr, instead of data.
    func explain(_ view: some View) { try? errors.write(errors.rendered(view)) }

    /// Writes a message to stderr: on a terminal lines that fit it, else one line. A failure is ignored: there is nowhere
    /// else to report it.
    func say(_ message: String) {
        try? errors.write(errors.filled("userctl: \(message.sanitised)") + "\n")
    }
}
