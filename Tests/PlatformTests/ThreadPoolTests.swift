import Dispatch
import Foundation
import Platform
import Synchronization
import TestSupport
import Testing

@Suite("Threads for tasks", .timeLimit(.hang)) struct ThreadPoolTests {
    @Test("A pool of one thread keeps the order of jobs")
    func order() async {
        let pool = ThreadPool("test one", limit: 1)
        let (done, release) = (Log(), DispatchSemaphore(value: 0))
        await withDiscardingTaskGroup { group in
            group.addTask(executorPreference: pool) { release.wait() }
            for number in 0..<100 {
                group.addTask(executorPreference: pool) { done.append(number) }
            }
            release.signal()
        }
        #expect(done.numbers == Array(0..<100))
    }

    @Test("As many jobs run at once as the pool may have threads, and no more")
    func limit() async {
        let pool = ThreadPool("test three", limit: 3)
        let (running, begun, release) = (Log(), DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        await withDiscardingTaskGroup { group in
            for number in 0..<6 {
                group.addTask(executorPreference: pool) {
                    running.append(number)
                    begun.signal()
                    release.wait()
                    // The next job begins when one ends.
                    running.append(-1)
                }
            }
            group.addTask(executorPreference: ThreadPool("test waiting", limit: 1)) {
                for _ in 0..<3 { begun.wait() }
                #expect(running.numbers.count == 3)
                for _ in 0..<6 { release.signal() }
            }
        }
        #expect(running.numbers.prefix(3).allSatisfy { $0 >= 0 })
        #expect(running.numbers[3] == -1)
    }

    @Test("Idle threads end after a rest, and later jobs get new threads")
    func rest() async throws {
        let pool = ThreadPool("test resting", limit: 2, rest: .milliseconds(1))
        for _ in 0..<20 {
            await Task(executorPreference: pool) {}.value
            try await wait { try threads(named: "test resting") == 0 }
        }
    }

    private func threads(named name: String) throws -> Int {
        let tasks = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")
        return tasks.count { task in
            (try? String(contentsOfFile: "/proc/self/task/\(task)/comm", encoding: .utf8)) == name + "\n"
        }
    }
}

/// The events, in order.
private final class Log: Sendable {
    private let contents = Mutex<[Int]>([])

    var numbers: [Int] { contents.withLock { $0 } }
    func append(_ number: Int) { contents.withLock { $0.append(number) } }
}
