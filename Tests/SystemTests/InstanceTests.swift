import DemoUpstream
import Foundation
import Glibc
import Model
import TestSupport
import Testing
import UserdAPI
import Varlink

@Suite("One daemon per cache and socket", .timeLimit(.hang))
struct InstanceTests {
    @Test("A second daemon on the same cache ends with a clear message and leaves the first alone")
    func sameCache() async throws {
        try await onMachine { machine in
            let first = try await machine.startUserd()
            let settings = ["socket": machine.file("run/other.sock")]
            let second = try machine.start(.userd, machine.arguments(settings))
            #expect(try await second.ended() == .exited(1))
            #expect(
                second.text(.errors).contains("userd: \(machine.database): another userd uses this cache; "))
            #expect(!FileManager.default.fileExists(atPath: machine.file("run/other.sock")))
            #expect(!first.hasEnded)
            #expect(try await machine.sync(.users).phase == .loaded)
        }
    }

    @Test("A second daemon on the same socket ends with a clear message and leaves the first alone")
    func sameSocket() async throws {
        try await onMachine { machine in
            let first = try await machine.startUserd()
            let settings = ["database": machine.file("cache/other.db")]
            let second = try machine.start(.userd, machine.arguments(settings))
            #expect(try await second.ended() == .exited(1))
            #expect(
                second.text(.errors).contains("userd: another process already serves \(machine.socket); "))
            #expect(!second.text(.errors).contains("Transition"), "it had begun to sync")
            #expect(!first.hasEnded)
            #expect(try await machine.sync(.users).phase == .loaded)
        }
    }

    @Test("A daemon replaces the socket and the lock that a killed daemon left")
    func stale() async throws {
        try await onMachine { machine in
            let first = try await machine.startUserd()
            first.send(SIGKILL)
            try await first.ended()
            #expect(FileManager.default.fileExists(atPath: machine.socket))
            try await machine.startUserd()
            #expect(try await machine.sync(.users).phase == .loaded)
        }
    }

    @Test("userd refuses a file at the socket's path, and does not change it")
    func file() async throws {
        try await onMachine { machine in
            let path = machine.file("precious")
            try Data("precious".utf8).write(to: URL(fileURLWithPath: path))
            let userd = try machine.start(
                .userd, machine.arguments(["socket": path, "log_level": "trace"]),
                environment: ["UPSTREAM_PASSWORD": "canary-of-the-environment"])
            #expect(try await userd.ended() == .exited(1))
            #expect(!userd.text(.errors).contains("canary"), "the log holds the environment")
            #expect(userd.text(.errors).contains("userd: \(path) is not a socket and is left alone; "))
            #expect(try String(contentsOfFile: path, encoding: .utf8) == "precious")
        }
    }

    @Test("Only the owner has access to the socket and the cache")
    func modes() async throws {
        try await onMachine { machine in
            try await machine.startUserd()
            for (path, mode) in [
                (machine.socket, 0o600), (machine.file("run/userd"), 0o700), (machine.database, 0o600),
                (machine.cacheDirectory, 0o700), (machine.database + "-wal", 0o600),
            ] {
                let attributes = try FileManager.default.attributesOfItem(atPath: path)
                #expect(attributes[.posixPermissions] as? Int == mode, "\(path)")
            }
        }
    }

    @Test(
        "A signal during a sync ends the daemon cleanly; the next one records that and syncs",
        arguments: [SIGTERM, SIGINT])
    func signals(_ signal: Int32) async throws {
        try await onMachine { machine in
            try await machine.upstream.setFaults([Fault(.stall, path: "/api")])
            var arrivals = machine.upstream.arrivals().makeAsyncIterator()
            let userd = try await machine.startUserd()
            let watchers = try await (0..<3).asyncMap { _ in try await Watcher(machine.socket) }
            while let arrival = await arrivals.next(), arrival.path != "/api" {}
            #expect(try await machine.state(of: .users).phase == .syncing)

            userd.send(signal)
            #expect(try await userd.ended(within: .seconds(40)) == .exited(0))
            #expect(userd.text(.errors).contains("Ended"))
            #expect(!FileManager.default.fileExists(atPath: machine.socket))
            for watcher in watchers { #expect(await watcher.end() == .closed) }

            try await machine.upstream.setFaults([])
            let next = try await machine.startUserd()
            try await next.line(containing: "phase=loaded resource=users")
            let history = try await machine.call(.history, History(resource: .users)).states
            #expect(
                history.reversed().map(\.cause) == [.due, .interrupted, .due, .committed(Changes(added: 20))])
            let interrupted = history[2]
            #expect(interrupted.phase == .initial)
            #expect(interrupted.failure?.kind == .interrupted)
        }
    }
}

/// A client that watches until userd closes the connection.
private final class Watcher: Sendable {
    private let ended: Task<VarlinkClientError?, Never>

    /// Returns once the first state has arrived.
    init(_ socket: String) async throws {
        let (states, state) = AsyncStream.makeStream(of: Void.self)
        ended = Task {
            let error = await #expect(throws: VarlinkClientError.self) {
                try await onThread {
                    try VarlinkClient(path: socket).callMore(
                        UserdInterface.qualified("Watch"), timeout: .seconds(60)
                    ) { _ in
                        state.yield()
                        return .proceed
                    }
                }
            }
            state.finish()
            return error
        }
        for await _ in states { break }
    }

    /// The error that ended the watch.
    func end() async -> VarlinkClientError? { await ended.value }
}

extension Sequence {
    fileprivate func asyncMap<Result>(_ transform: (Element) async throws -> Result) async rethrows
        -> [Result]
    {
        var results: [Result] = []
        for element in self { results.append(try await transform(element)) }
        return results
    }
}
