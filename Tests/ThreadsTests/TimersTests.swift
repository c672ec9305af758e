import Synchronization
import TestSupport
import Testing
import Threads

@Suite("Timers", .timeLimit(.hang)) struct TimersTests {
    @Test("What is due first is done first, and what was cancelled is not done")
    func order() async throws {
        let (done, does) = AsyncStream.makeStream(of: Int.self)
        for delay in [30, 10, 20] { Timers.shared.after(.milliseconds(delay)) { does.yield(delay) } }
        let cancelled = Timers.shared.after(.milliseconds(15)) { does.yield(15) }
        #expect(Timers.shared.cancel(cancelled))
        #expect(!Timers.shared.cancel(cancelled))
        Timers.shared.after(.milliseconds(40)) { does.finish() }
        #expect(await done.reduce(into: []) { $0.append($1) } == [10, 20, 30])
    }

    @Test("What is due later keeps nothing waiting")
    func distant() async {
        let distant = Timers.shared.after(.seconds(86_400)) {}
        let (done, does) = AsyncStream.makeStream(of: Never.self)
        Timers.shared.after(.milliseconds(1)) { does.finish() }
        for await _ in done {}
        Timers.shared.cancel(distant)
    }

    @Test("A sleep ends in time, or with its task")
    func sleeping() async throws {
        try await sleep(for: .milliseconds(1))
        let task = Task { try await sleep(for: .seconds(86_400)) }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        let cancelled = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try await sleep(for: .seconds(86_400))
        }
        await #expect(throws: CancellationError.self) { try await cancelled.value }
    }
}
