import Synchronization

/// A clock that stands still until a test moves it.
package final class VirtualClock: Sendable {
    private struct Sleeper {
        var number: Int
        var due: Duration
        var wake: Channel<Void>
    }

    private struct Contents {
        var now: Duration
        var sleepers: [Sleeper] = []
        var lastNumber = 0
    }

    private let contents: Mutex<Contents>
    /// How long was to be slept, call for call; sleeps of no length are over at once and left out.
    package let sleeps = Channel<Duration>()

    package init(now: Duration = .zero) { contents = Mutex(Contents(now: now)) }

    package var now: Duration { contents.withLock { $0.now } }

    /// Those who sleep now.
    package var sleeperCount: Int { contents.withLock { $0.sleepers.count } }

    /// Returns once the clock has been moved that far; throws `CancellationError` when the task is cancelled.
    package func sleep(_ duration: Duration) async throws {
        try Task.checkCancellation()
        guard duration > .zero else { return }
        let wake = Channel<Void>()
        let number = contents.withLock {
            $0.lastNumber += 1
            $0.sleepers.append(Sleeper(number: $0.lastNumber, due: $0.now + duration, wake: wake))
            return $0.lastNumber
        }
        sleeps.send(duration)
        defer { contents.withLock { $0.sleepers.removeAll { $0.number == number } } }
        try await wake.receive()
    }

    package func advance(by duration: Duration) {
        let woken = contents.withLock { contents in
            contents.now += duration
            let now = contents.now
            let woken = contents.sleepers.filter { $0.due <= now }
            contents.sleepers.removeAll { $0.due <= now }
            return woken
        }
        for sleeper in woken { sleeper.wake.send(()) }
    }
}
