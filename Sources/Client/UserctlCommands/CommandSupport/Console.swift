import FoundationEssentials
import Glibc
import Model
import Platform
import TerminalViews
import UserdAPI

/// A command's dependencies: output, errors, clock, environment.
package struct Console: Sendable {
    package struct Output: Sendable {
        /// In cells; nil if it is not a terminal.
        package var width: Int?
        package var colour: Bool
        /// The current size, in cells; nil if it can't be redrawn: a file, or a dumb terminal.
        package var size: @Sendable () -> (columns: Int, rows: Int)?
        package let charset: Charset
        /// How it draws pictures; nil if it can't.
        package var pictures: PictureDrawing?
        /// Ends the program when the reader of a pipe or socket closes it: for commands that may write nothing for hours.
        package var endWithReader: @Sendable () -> Void
        package var write: @Sendable ([UInt8]) throws -> Void

        /// - Parameter charset: other characters are escaped.
        package init(
            width: Int? = nil, colour: Bool = false, charset: Charset = .unicode,
            pictures: PictureDrawing? = nil,
            size: @escaping @Sendable () -> (columns: Int, rows: Int)? = { nil },
            endWithReader: @escaping @Sendable () -> Void = {},
            write: @escaping @Sendable ([UInt8]) throws -> Void
        ) {
            self.width = width
            self.colour = colour
            self.size = size
            self.charset = charset
            self.pictures = pictures
            self.endWithReader = endWithReader
            self.write = { bytes in
                guard charset == .ascii else { return try write(bytes) }
                try write(Array(charset.shown(String(decoding: bytes, as: UTF8.self)).utf8))
            }
        }

        /// A sanitised line, broken between words to fit the terminal; unchanged elsewhere.
        package func filled(_ line: String, indent: Int = 2) -> String {
            guard let width else { return line }
            return charset.shown(line).filled(to: width, indent: indent).joined(separator: "\n")
        }

        package func rendered(_ view: some View) -> [UInt8] {
            Array(render(view, width: width, colour: colour, charset: charset).utf8)
        }
    }

    package var environment: Environment
    package var clock: WallClock
    package var sleep: @Sendable (Duration) async throws -> Void
    package var output: Output
    package var errors: Output
    package var userd: @Sendable (_ socket: String) -> UserdClient
    /// A file's bytes; nil if it can't be read.
    package var file: @Sendable (_ path: String) -> [UInt8]?
    /// Makes Ctrl-C say that the sync goes on; false undoes this.
    package var sayAtInterrupt: @Sendable (_ syncGoesOn: Bool) -> Void
    /// Set by --quiet.
    package private(set) var isQuiet = false

    package init(
        environment: Environment, clock: WallClock,
        sleep: @escaping @Sendable (Duration) async throws -> Void,
        output: Output, errors: Output,
        userd: @escaping @Sendable (_ socket: String) -> UserdClient = {
            .live(socket: $0, timeout: .seconds(3))
        },
        file: @escaping @Sendable (_ path: String) -> [UInt8]? = {
            // One byte more than userd reads.
            try? RegularFile($0, upTo: 1 << 20 + 1).bytes
        },
        sayAtInterrupt: @escaping @Sendable (_ syncGoesOn: Bool) -> Void = { _ in }
    ) {
        self.environment = environment
        self.clock = clock
        self.sleep = sleep
        self.output = output
        self.errors = errors
        self.userd = userd
        self.file = file
        self.sayAtInterrupt = sayAtInterrupt
    }

    @TaskLocal package static var current = Console.live

    private static let live: Console = {
        let environment = ProcessInfo.processInfo.environment
        return Console(
            environment: environment, clock: .system, sleep: { try await Task.sleep(for: $0) },
            output: .descriptor(STDOUT_FILENO, environment), errors: .descriptor(STDERR_FILENO, environment),
            sayAtInterrupt: UserctlCommands.sayAtInterrupt)
    }()

    /// The console without notices.
    package func quiet(_ isQuiet: Bool) -> Console {
        var console = self
        console.isQuiet = isQuiet
        return console
    }

    /// Writes a line to stderr, unless --quiet is given.
    package func notice(_ message: String) { if !isQuiet { say(message) } }
}

extension Console {
    /// Writes JSON to stdout; control characters are escaped.
    package func write(json: [UInt8]) throws { try output.write(destination.json(json)) }

    /// Writes a JSON document and a newline to stdout.
    package func write(document json: [UInt8]) throws {
        var document = documentOutput
        try document.write(json + [UInt8(ascii: "\n")])
    }

    /// Writes a JSON document piece by piece.
    package var documentOutput: DocumentOutput { DocumentOutput(self) }

    /// Draws a view on stdout.
    package func show(_ view: some View) throws { try output.write(output.rendered(view)) }

    /// Draws a view on stderr, instead of data.
    package func explain(_ view: some View) { try? errors.write(errors.rendered(view)) }

    /// Writes a message to stderr: on a terminal lines that fit it, else one line. A failure is ignored: there is nowhere
    /// else to report it.
    package func say(_ message: String) {
        try? errors.write(Array((errors.filled("userctl: \(message.sanitised)") + "\n").utf8))
    }
}
