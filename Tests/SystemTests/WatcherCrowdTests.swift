import DemoUpstream
import Glibc
import Model
import Synchronization
import TestSupport
import Testing
import UserdAPI
import Varlink

@Suite("A thousand watchers", .timeLimit(.hang))
struct WatcherCrowdTests {
    @Test(
        "During continuous syncs a thousand watchers and many readers get every state, in constant memory"
    )
    func crowd() async throws {
        try raiseDescriptorLimit(to: 4096)
        try await onMachine { machine in
            // Slow answers, so that nearly always a sync of each is running.
            try await machine.upstream.setFaults([
                Fault(.delay(milliseconds: 300), path: "/api"),
                Fault(.delay(milliseconds: 300), path: "/facts"),
            ])
            let userd = try await machine.startUserd([
                "limits.connections": "1100", "users.interval": "100ms", "facts.interval": "100ms",
                "log_level": "notice",
            ])
            #expect(try await machine.sync(.users).phase == .loaded)
            let before = try descriptors(of: userd.id)
            let crowd = try await WatcherCrowd(Volume.watchers, at: machine.socket)
            let readers = Readers(Volume.readers, at: machine.socket)

            // The first transitions warm up one-time allocations in each thread's arena.
            let begun = try await crowd.follow(2 * Volume.watchedTransitions, after: 0)
            let warm = try residentMemory(of: userd.id)
            _ = try await crowd.follow(2 * Volume.watchedTransitions, after: begun)
            let late = try residentMemory(of: userd.id)
            let reads = try await readers.end()
            _ = try await machine.call(.setPaused, SetPaused(paused: true))
            // Waits for running syncs; no transition comes after this.
            _ = try await machine.call(.sync, Sync(wait: true))
            let last = Int64(try await machine.call(.getState, NoParameters()).states.map(\.index).max() ?? 0)
            try await wait { crowd.report.indices.allSatisfy { $0 >= last } || !crowd.report.faults.isEmpty }
            let report = crowd.report
            #expect(report.faults.prefix(5) == [])
            #expect(report.indices == Array(repeating: last, count: Volume.watchers))
            #expect(reads >= Volume.readers)
            #expect(late < warm * 130 / 100, "memory grows: from \(warm) kB to \(late) kB")

            crowd.end()
            try await wait { try descriptors(of: userd.id) <= before }
        }
    }
}

extension WatcherCrowd {
    /// Returns the newest transition once every watcher has seen this many after the given one, or one has a
    /// fault.
    fileprivate func follow(_ count: Int, after index: Int64) async throws -> Int64 {
        try await wait {
            self.report.indices.allSatisfy { $0 >= index + Int64(count) } || !self.report.faults.isEmpty
        }
        return report.indices.max() ?? 0
    }
}

/// Clients that make one call after the other, each on its own thread.
private final class Readers: Sendable {
    private let isOver = Atomic(false)
    private let task: Mutex<Task<Int, any Error>?>

    init(_ count: Int, at path: String) {
        task = Mutex(nil)
        let task = Task { [self] in
            try await withThrowingTaskGroup(of: Int.self) { group in
                for number in 0..<count {
                    group.addTask { try await onThread { try self.read(number, at: path) } }
                }
                return try await group.reduce(0, +)
            }
        }
        self.task.withLock { $0 = task }
    }

    /// Returns the number of reads. Throws if one failed.
    func end() async throws -> Int {
        isOver.store(true, ordering: .relaxed)
        return try await task.withLock { $0 }?.value ?? 0
    }

    private func read(_ number: Int, at path: String) throws -> Int {
        let client = try VarlinkClient(path: path)
        var count = 0
        while !isOver.load(ordering: .relaxed) {
            let method = (number + count).isMultiple(of: 2) ? "io.userd.ListUsers" : "io.userd.GetState"
            _ = try client.call(method, timeout: .seconds(60))
            count += 1
            // The pause leaves a debug build time for its syncs.
            usleep(100_000)
        }
        return count
    }
}
