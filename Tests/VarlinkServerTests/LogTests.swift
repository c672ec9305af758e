import Glibc
import Logging
import Synchronization
import TestSupport
import Testing
import Varlink
import VarlinkServer

/// The server's log messages about clients and failing methods.
@Suite(.timeLimit(.hang)) struct LogTests {
    /// Lines such as `warning: Refused a connection: because`.
    private let lines = Channel<String>()

    private func withServer(
        owner: UInt32 = geteuid(), answer: @escaping @Sendable (MethodCall) async throws -> Answer,
        _ body: (_ path: String) async throws -> Void
    ) async throws {
        let directory = try TemporaryDirectory()
        let service = try VarlinkService(
            vendor: "", product: "", version: "", url: "",
            interfaces: [
                try InterfaceHandler(
                    description: "interface org.example\nmethod Ask() -> (n: int)", handle: answer)
            ])
        let lines = lines
        let logger = Logger(label: "test") { _ in
            TestLogHandler { event in
                let words = (event.metadata ?? [:]).sorted { $0.key < $1.key }.map { "\($0.value)" }
                lines.send((["\(event.level)", "\(event.message)"] + words).joined(separator: ": "))
            }
        }
        let server = VarlinkServer(service: service, owner: owner, logger: logger)
        try await running(server, at: directory.file("s")) { _ in try await body(directory.file("s")) }
    }

    @Test("The first of several refused connections is logged as a warning, the others as debug messages")
    func refusals() async throws {
        let owner = geteuid() + 1
        try await withServer(owner: owner, answer: { _ in .single(Array(#"{"n":1}"#.utf8)) }) { path in
            for level in ["warning", "debug", "debug"] {
                let refused = try RawPeer(path)
                let reason = "user \(geteuid()) may not connect; only user \(owner) may"
                var line = try await lines.receive()
                while !line.contains("Refused") { line = try await lines.receive() }
                #expect(line == "\(level): Refused a connection: \(reason)")
                withExtendedLifetime(refused) {}
            }
        }
    }

    @Test("A stream of replies without a last one is logged as an error with the method")
    func endless() async throws {
        let replies = Mutex(0)
        try await withServer(answer: { _ in
            .stream(
                ReplyStream(next: {
                    let count = replies.withLock { count in
                        count += 1
                        return count
                    }
                    return count == 1 ? Reply(parameters: Array(#"{"n":1}"#.utf8), continues: true) : nil
                }))
        }) { path in
            let peer = try RawPeer(path)
            try peer.send(#"{"method":"org.example.Ask","more":true}"#)
            #expect(try await peer.receive(1) == [#"{"parameters":{"n":1},"continues":true}"#])
            let line = "error: A reply stream ended without a last reply: org.example.Ask"
            #expect(try await lines.receive() == line)
        }
    }

    private struct NoVarlinkError: Error {}

    @Test("A method that fails with an unexpected error is logged with that error")
    func unexpected() async throws {
        try await withServer(answer: { _ in throw NoVarlinkError() }) { path in
            let peer = try RawPeer(path)
            try peer.send(#"{"method":"org.example.Ask"}"#)
            let line = "error: A call failed with an unexpected error: NoVarlinkError(): org.example.Ask"
            #expect(try await lines.receive() == line)
        }
    }
}
