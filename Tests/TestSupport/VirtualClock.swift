import Synchronization

/// A clock that a test moves.
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
    /// The duration of each call of `sleep`; those without a positive duration return at once and are left out.
    package let sleeps = Channel<Duration>()

    package init(now: Duration = .zero) { contents = Mutex(Contents(now: now)) }

    package var now: Duration { contents.withLock { $0.now } }

    /// Number of waiting calls of `sleep`.
    package var sleeperCount: Int { contents.withLock { $0.sleepers.count } }

    /// Returns once the clock has moved that far; throws `CancellationError`.
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
