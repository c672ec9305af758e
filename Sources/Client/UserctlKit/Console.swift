import Glibc
import Model
import TerminalViews
import UserdAPI

/// What a command has around it: where its words go, what time it is, the environment.
package struct Console: Sendable {
    /// Where text goes to.
    package struct Output: Sendable {
        /// In cells; nil where it is no terminal.
        package var width: Int?
        package var colour: Bool
        /// In cells, as it is now; nil where nothing can be drawn over, be it that it is no terminal.
        package var size: @Sendable () -> (columns: Int, rows: Int)?
        package let charset: Charset
        /// How it is given pictures; nil where there is no way.
        package var pictures: PictureDrawing?
        /// Ends the program as soon as nobody reads any more, where that can be known: for commands that may have nothing
        /// to write for hours.
        package var endWithReader: @Sendable () -> Void
        package var write: @Sendable ([UInt8]) throws -> Void

        /// - Parameter charset: anything else that is written is escaped.
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

        /// A view, drawn for it.
        func rendered(_ view: some View) -> [UInt8] {
            Array(render(view, width: width, colour: colour, charset: charset).utf8)
        }
    }

    package var environment: Environment
    package var clock: WallClock
    package var sleep: @Sendable (Duration) async throws -> Void
    /// Calls once that much later, on a thread of its own.
    package var after: @Sendable (Duration, @escaping @Sendable () -> Void) -> Void
    package var output: Output
    package var errors: Output
    /// The userd at a socket.
    package var userd: @Sendable (_ socket: String) -> UserdClient

    package init(
        environment: Environment, clock: WallClock,
        sleep: @escaping @Sendable (Duration) async throws -> Void,
        after: @escaping @Sendable (Duration, @escaping @Sendable () -> Void) -> Void = callLater,
        output: Output, errors: Output,
        userd: @escaping @Sendable (_ socket: String) -> UserdClient = {
            .live(socket: $0, timeout: .seconds(3))
        }
    ) {
        self.environment = environment
        self.clock = clock
        self.sleep = sleep
        self.after = after
        self.output = output
        self.errors = errors
        self.userd = userd
    }

    @TaskLocal package static var current = Console.live

    private static let live = Console(
        environment: .ofProcess, clock: .system, sleep: { try await Task.sleep(for: $0) },
        output: .descriptor(STDOUT_FILENO, .ofProcess), errors: .descriptor(STDERR_FILENO, .ofProcess))
}

extension Console {
    /// Data, as it is; for a terminal with all escaped that it might obey.
    func write(json: [UInt8]) throws {
        try output.write(destination.json(json))
    }

    /// Data, as a document of its own.
    func write(document json: [UInt8]) throws { try write(json: json + [UInt8(ascii: "\n")]) }

    /// Data, drawn.
    func show(_ view: some View) throws { try output.write(output.rendered(view)) }

    /// A page on stderr, for want of data.
    func explain(_ view: some View) { try? errors.write(errors.rendered(view)) }

    /// One line on stderr.
    func say(_ message: String) { complain("userctl: " + message.sanitised) }

    /// Text on stderr that is known to be clean. Where even that can't be written there is nobody left to tell.
    func complain(_ text: String) { try? errors.write(Array((text + "\n").utf8)) }
}
