import DemoUpstream
import Foundation
import Glibc
import Model
import SQLite
import Synchronization
import TestSupport
import Testing
import UserdAPI
import Varlink

@Suite("Hostile upstreams and clients", .timeLimit(.minutes(40)))
struct HostileTests {
    /// The faults in order. A fault after which userd requests again comes several times.
    private static let faults: [Fault] = [
        Fault(.gzipBomb, path: "/api", times: 1), Fault(.endless, path: "/api", times: 1),
        Fault(.rubbish(.html), path: "/api", times: 1), Fault(.rubbish(.bytes), path: "/api", times: 1),
        Fault(.reset, path: "/api", times: 1), Fault(.truncate, path: "/api", times: 1),
        Fault(.redirect(location: "?again"), path: "/api", times: 6), Fault(.stall, path: "/api", times: 1),
        Fault(.empty, path: "/api", times: 1), Fault(.errorBody(.documented), path: "/api", times: 1),
    ]

    @Test("Hostile upstreams and clients grow nothing, change no row, and keep no replies from a good client")
    func hostile() async throws {
        try raiseDescriptorLimit(to: 4096)
        try await onMachine(users: 60) { machine in
            let facts = try HostileServer()
            defer { facts.stop() }
            let userd = try await machine.startUserd([
                "facts.url": facts.url("/facts"), "users.page_size": "60", "http.deadline": "500ms",
                "http.max_response_bytes": "1000000", "limits.request_deadline": "1s",
                "limits.history": "100", "paused": "true", "log_level": "notice",
            ])
            // The deadline is short, and a busy machine may miss it.
            try await wait { try await machine.sync(.users).phase == .loaded }
            let users = try await machine.users()
            let before = try descriptors(of: userd.id)
            let quiet = Client(at: machine.socket, pause: 0)
            try await wait { quiet.calls >= 500 }
            let calm = try await quiet.end()

            let clients = HostileClients(at: machine.socket)
            let client = Client(at: machine.socket, pause: 2000)
            // The first third warms up one-time allocations.
            var thirds: [Strain] = []
            for _ in 0..<3 {
                var strain = Strain()
                for _ in 0..<Volume.hostileRounds {
                    try await machine.suffer(Self.faults, facts) {
                        try strain.look(at: userd.id, folder: machine.cacheDirectory)
                    }
                }
                thirds.append(strain)
            }
            let strained = try await client.end()
            #expect(clients.fewest > 0)
            try await clients.end()

            let (middle, end) = (thirds[1], thirds[2])
            #expect(end.memory < middle.memory * 115 / 100 + 8192, "\(thirds)")
            #expect(end.openFiles <= middle.openFiles + 64, "\(thirds)")
            #expect(end.threads <= middle.threads + 4, "\(thirds)")
            #expect(end.files <= middle.files, "\(thirds)")
            // SQLite copies its log at 4 MiB: until then it grows with each transition.
            #expect(end.bytes <= middle.bytes + 5 << 20, "\(thirds)")
            try await wait { try descriptors(of: userd.id) <= before }
            #expect(try await machine.users() == users)
            try await wait { try await machine.sync(.users).phase == .loaded }
            userd.send(SIGTERM)
            #expect(try await userd.ended() == .exited(0))
            print(
                """
                FAULT|hostile upstreams and clients|\(3 * Volume.hostileRounds)|p99 \(calm.p99) quiet, \
                \(strained.p99) now; middle \(middle); end \(end)
                """)
        }
    }

    @Test("SIGTERM ends userd cleanly among hostile clients and during a sync")
    func ending() async throws {
        try await onMachine { machine in
            let userd = try await machine.startUserd(["paused": "true", "log_level": "notice"])
            #expect(try await machine.sync(.users).phase == .loaded)
            try await machine.upstream.setFaults([Fault(.stall)])
            let clients = HostileClients(at: machine.socket)
            async let told = try? machine.call(.sync, Sync(wait: true))
            try await wait { try await machine.state(of: .users).phase == .syncing && clients.fewest > 3 }
            userd.send(SIGTERM)
            #expect(try await userd.ended() == .exited(0))
            #expect(await told == nil)
            try await clients.end()
            let connection = try Connection(path: machine.database, access: .readOnly)
            #expect(try connection.rows("PRAGMA quick_check") { try $0.text(0) } == ["ok"])
        }
    }
}

extension Machine {
    /// Syncs until each of these faults and each of the hostile server's manners has come.
    fileprivate func suffer(
        _ faults: [Fault], _ server: HostileServer, look: () async throws -> Void
    ) async throws {
        try await upstream.setFaults(faults)
        let requests = server.requests + HostileServer.Manner.allCases.count
        while !upstream.faults.isEmpty || server.requests < requests {
            let states = try await call(.sync, Sync(wait: true)).states
            #expect(states.allSatisfy { $0.resource == .users || $0.phase == .error })
            #expect(states.first { $0.resource == .users }?.count == 60)
            try await look()
        }
    }
}

/// A good client, which makes one call after the other and measures each.
private final class Client: Sendable {
    private let isOver = Atomic(false)
    private let latencies = Mutex<[Duration]>([])
    private let task = Mutex<Task<Void, any Error>?>(nil)

    /// - Parameter pause: microseconds between two calls.
    init(at path: String, pause: UInt32) {
        let task = Task { [self] in
            try await onThread { try self.run(at: path, pause: pause) }
        }
        self.task.withLock { $0 = task }
    }

    var calls: Int { latencies.withLock { $0.count } }

    /// Throws if a call got no answer, or a wrong one.
    func end() async throws -> (median: Duration, p99: Duration) {
        isOver.store(true, ordering: .relaxed)
        try await task.withLock { $0 }?.value
        let sorted = latencies.withLock { $0.sorted() }
        guard !sorted.isEmpty else { throw WaitedInVain(description: "no call was answered") }
        return (sorted[sorted.count / 2], sorted[sorted.count * 99 / 100])
    }

    private func run(at path: String, pause: UInt32) throws {
        let client = try VarlinkClient(path: path)
        let list = try encoded(ListUsers(limit: 20))
        while !isOver.load(ordering: .relaxed) {
            let begun = ContinuousClock.now
            let reply = try client.call(
                UserdInterface.qualified("ListUsers"), parameters: list, timeout: .seconds(60))
            let duration = ContinuousClock.now - begun
            guard try decoded(UserList.self, from: reply).total == 60 else {
                throw WaitedInVain(description: String(decoding: reply, as: UTF8.self))
            }
            latencies.withLock { $0.append(duration) }
            usleep(pause)
        }
    }
}
