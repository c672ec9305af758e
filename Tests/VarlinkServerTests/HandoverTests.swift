import Logging
import Synchronization
import TestSupport
import Testing
import Varlink
import VarlinkServer

@Suite(.timeLimit(.hang)) struct HandoverTests {
    @Test("Endless replies pause so that sockets are polled; replies to single calls do not")
    func pauses() async throws {
        let pauses = Pauses()
        let logger = Logger(label: "test") { _ in
            TestLogHandler { event in
                if "\(event.message)".hasPrefix("Replies pause") { pauses.count.add(1, ordering: .relaxed) }
            }
        }
        let directory = try TemporaryDirectory()
        let path = directory.file("s")
        try await running(try makeServer(Backstage(), logger: logger), at: path) { _ in
            try await onThread {
                let client = try VarlinkClient(path: path)
                for _ in 0..<1000 { _ = try client.call("org.example.Echo", timeout: .seconds(20)) }
            }
            #expect(pauses.count.load(ordering: .relaxed) == 0)
            let flooded = try RawPeer(path)
            try flooded.send(#"{"method":"org.example.Flood","more":true}"#)
            try await onThread {
                while pauses.count.load(ordering: .relaxed) == 0 { _ = flooded.receiveBytes() }
            }
        }
    }
}

private final class Pauses: Sendable {
    let count = Atomic(0)
}
