import Glibc
import Logging
import Synchronization
import TestSupport
import Testing
import Varlink
import VarlinkServer

/// State that the test interface's methods share with the test.
final class Backstage: Sendable {
    /// Events, in order.
    let notes: AsyncStream<String>
    private let note: AsyncStream<String>.Continuation
    private let gate: AsyncStream<Void>
    private let opener: AsyncStream<Void>.Continuation
    private let pulled = Atomic(0)

    init() {
        (notes, note) = AsyncStream.makeStream()
        (gate, opener) = AsyncStream.makeStream()
    }

    /// The number of requested replies of Flood.
    var pullCount: Int { pulled.load(ordering: .relaxed) }

    /// Lets one call of Block go on.
    func open() { opener.yield() }

    /// Waits for the note.
    func next() async -> String? {
        var iterator = notes.makeAsyncIterator()
        return await iterator.next()
    }

    private static let interface = """
        interface org.example
        method Echo(text: ?string) -> (text: ?string)
        method Note(text: string) -> ()
        # Answers when the test lets it.
        method Block() -> ()
        # [Requires 'more' flag]
        method Count(to: int) -> (n: int)
        # Never ends.
        method Flood() -> (chunk: string)
        # Has one large reply.
        method Large() -> (chunk: string)
        method Fail() -> ()
        method FailLater() -> (n: int)
        error Failed ()
        """

    func service() throws -> VarlinkService {
        try VarlinkService(
            vendor: "userd", product: "test", version: "1", url: "https://example.org/",
            interfaces: [try InterfaceHandler(description: Self.interface) { try await self.handle($0) }])
    }

    private struct NoVarlinkError: Error {}

    private func handle(_ call: MethodCall) async throws -> Answer {
        switch call.methodName {
        case "Echo":
            return .single(call.parameters)
        case "Note":
            note.yield(String(decoding: call.parameters, as: UTF8.self))
            return .single(emptyParameters)
        case "Block":
            note.yield("blocked")
            var iterator = gate.makeAsyncIterator()
            let opened: Void? = await iterator.next()
            note.yield(opened == nil ? "cancelled" : "opened")
            return .single(emptyParameters)
        case "Count":
            let end = Int(String(decoding: call.parameters, as: UTF8.self).filter(\.isNumber)) ?? 0
            return stream { n in Reply(parameters: Array("{\"n\":\(n)}".utf8), continues: n < end) }
        case "Flood":
            let chunk = String(repeating: "x", count: 10_000)
            return stream { _ in
                self.pulled.add(1, ordering: .relaxed)
                return Reply(parameters: Array("{\"chunk\":\"\(chunk)\"}".utf8), continues: true)
            }
        case "Large":
            let chunk = String(repeating: "x", count: 100_000)
            return stream { n in
                if n > 1 { self.note.yield("pulled after the last reply") }
                return Reply(parameters: Array("{\"chunk\":\"\(chunk)\"}".utf8))
            }
        case "FailLater":
            return stream { n in
                guard n == 1 else { throw VarlinkError(name: "org.example.Failed") }
                return Reply(parameters: Array("{\"n\":1}".utf8), continues: true)
            }
        default:
            throw NoVarlinkError()
        }
    }

    /// - Parameter reply: returns the reply with a number, from 1.
    private func stream(_ reply: @escaping @Sendable (Int) throws -> Reply?) -> Answer {
        let number = Mutex(0)
        return .stream(
            ReplyStream(
                next: {
                    try reply(
                        number.withLock {
                            $0 += 1
                            return $0
                        })
                },
                cancel: { self.note.yield("stream cancelled") }))
    }
}

/// Runs `body` with a server that listens at `path`, and ends the server after it.
func withServer(
    limits: Limits = Limits(), owner: UInt32? = nil, whenFull: String? = nil,
    _ body: (_ path: String, _ backstage: Backstage) async throws -> Void
) async throws {
    let directory = try TemporaryDirectory()
    let backstage = Backstage()
    let server = try makeServer(backstage, limits: limits, owner: owner, whenFull: whenFull)
    try await running(server, at: directory.file("s")) { _ in
        try await body(directory.file("s"), backstage)
    }
}

/// - Parameter whenFull: the method that is answered beyond the maximum number of connections.
func makeServer(
    _ backstage: Backstage, limits: Limits = Limits(), owner: UInt32? = nil, whenFull: String? = nil,
    logger: Logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
) throws -> VarlinkServer {
    VarlinkServer(
        service: try backstage.service(), limits: limits, owner: owner ?? geteuid(),
        whenFull: { $0.method == whenFull }, logger: logger)
}

/// - Parameter body: gets a closure that shuts the server down and returns when it has ended.
func running(
    _ server: VarlinkServer, at path: String,
    _ body: (_ shutDown: @escaping @Sendable () async throws -> Void) async throws -> Void
) async throws {
    try await whileRunning({ try await server.run(at: path, onListening: $0) }, body)
}

/// - Parameter run: runs a server, and calls its argument once clients can connect.
func whileRunning(
    _ run: @escaping @Sendable (_ onListening: @Sendable () -> Void) async throws -> Void,
    _ body: (_ shutDown: @escaping @Sendable () async throws -> Void) async throws -> Void
) async throws {
    let (listening, continuation) = AsyncStream.makeStream(of: Void.self)
    let task = Task {
        defer { continuation.finish() }
        try await run { continuation.yield() }
    }
    var iterator = listening.makeAsyncIterator()
    let shutDown = { @Sendable in
        task.cancel()
        try await task.value
    }
    guard await iterator.next() != nil else { return try await task.value }
    do {
        try await body(shutDown)
    } catch {
        try await shutDown()
        throw error
    }
    try await shutDown()
}
