import DemoUpstream
import Glibc
import Model
import Synchronization
import TestSupport
import Testing
import UserdAPI
import Varlink

@Suite("A thousand watchers", .timeLimit(.minutes(10)))
struct WatcherCrowdTests {
    private static let watchers = 1000
    private static let readers = 50
    private static let seconds = 60
    /// At least: a busy machine takes longer for them.
    private static let transitions = 40

    @Test(
        "For a minute of continuous syncs a thousand watchers and fifty readers get all that they should, in flat memory"
    )
    func minute() async throws {
        try raiseDescriptorLimit(to: 4096)
        try await onMachine { machine in
            // Nearly always one of each runs.
            try await machine.upstream.setFaults([
                Fault(.delay(milliseconds: 1500), path: "/api"),
                Fault(.delay(milliseconds: 1500), path: "/facts"),
            ])
            let userd = try await machine.startUserd([
                "limits.connections": "1100", "users.interval": "500ms", "facts.interval": "500ms",
                "log_level": "notice",
            ])
            #expect(try await machine.sync(.users).phase == .loaded)
            let before = try descriptors(of: userd.id)
            let crowd = try await WatcherCrowd(Self.watchers, at: machine.socket)
            let readers = Readers(Self.readers, at: machine.socket)

            var memory: [Int] = []
            while memory.count < Self.seconds || crowd.report.indices.min() ?? 0 < Self.transitions {
                try await Task.sleep(for: .seconds(1))
                memory.append(try residentMemory(of: userd.id))
                guard crowd.report.faults.isEmpty else { break }
            }
            let reads = try await readers.end()
            _ = try await machine.call(.setPaused, SetPaused(paused: true))
            // Whatever still runs ends now: nothing comes after this.
            _ = try await machine.call(.sync, Sync(wait: true))
            let last = Int64(try await machine.call(.getState, NoParameters()).states.map(\.index).max() ?? 0)
            while crowd.report.indices.contains(where: { $0 < last }), crowd.report.faults.isEmpty {
                try await Task.sleep(for: .milliseconds(100))
            }
            let report = crowd.report
            print(
                """
                A thousand watchers: \(last) transitions, \(report.states) states, fell behind \(report.fellBehind) \
                times, \(reads) reads, \(memory[14]) kB after 15 s, \(memory.max() ?? 0) kB at most, \
                \(memory.last ?? 0) kB at the end
                """)
            #expect(report.faults.prefix(5) == [])
            #expect(report.indices == Array(repeating: last, count: Self.watchers))
            #expect(reads > 10 * Self.readers)
            let late = memory.dropFirst(40).reduce(0, +) / max(1, memory.dropFirst(40).count)
            #expect(late < memory[14] * 115 / 100, "memory grows: \(memory)")

            crowd.end()
            while try descriptors(of: userd.id) > before { try await Task.sleep(for: .milliseconds(100)) }
        }
    }
}

/// Clients that read one thing after the other, each on a thread of its own.
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

    /// Returns how many reads there were. Throws where one failed.
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
            // As many reads as that leave a debug build time for its syncs.
            usleep(400_000)
        }
        return count
    }
}
