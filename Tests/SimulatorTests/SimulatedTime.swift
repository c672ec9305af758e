import Model
import Synchronization

/// A clock that moves from one event to the next, and wakes sleepers.
final class SimulatedTime: Sendable {
    private struct Sleeper {
        var number: Int
        var due: Duration
        var wake: CheckedContinuation<Void, any Error>
    }

    private struct Contents {
        var now = Duration.zero
        var sleepers: [Sleeper] = []
        var nextNumber = 0
        /// How far the wall clock is ahead.
        var skew = Duration.zero
    }

    private let contents = Mutex(Contents())
    private static let began = Timestamp(milliseconds: 1_770_000_000_000)

    /// Time since the simulation began.
    var now: Duration { contents.withLock { $0.now } }
    var wallClock: Timestamp { contents.withLock { Self.began + $0.now + $0.skew } }

    func setWallClock(ahead skew: Duration) { contents.withLock { $0.skew = skew } }

    /// When the next sleeper is due.
    var nextDue: Duration? { contents.withLock { $0.sleepers.map(\.due).min() } }

    /// - Parameter isDeaf: ignores cancellation.
    func sleep(_ duration: Duration, isDeaf: Bool = false) async throws {
        if isDeaf {
            return try await withCheckedThrowingContinuation { wake in
                contents.withLock {
                    $0.sleepers.append(Sleeper(number: 0, due: $0.now + duration, wake: wake))
                }
            }
        }
        try Task.checkCancellation()
        guard duration > .zero else { return }
        let number = contents.withLock { contents in
            contents.nextNumber += 1
            return contents.nextNumber
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { wake in
                contents.withLock {
                    $0.sleepers.append(Sleeper(number: number, due: $0.now + duration, wake: wake))
                }
                if Task.isCancelled { cancel(number) }
            }
        } onCancel: {
            cancel(number)
        }
    }

    /// Moves the clock, and wakes due sleepers. The clock never moves back.
    func advance(to time: Duration) {
        let woken = contents.withLock { contents in
            contents.now = max(contents.now, time)
            let now = contents.now
            let woken = contents.sleepers.filter { $0.due <= now }
            contents.sleepers.removeAll { $0.due <= now }
            return woken
        }
        for sleeper in woken { sleeper.wake.resume() }
    }

    private func cancel(_ number: Int) {
        let sleeper = contents.withLock { contents in
            contents.sleepers.firstIndex { $0.number == number }.map { contents.sleepers.remove(at: $0) }
        }
        sleeper?.wake.resume(throwing: CancellationError())
    }
}
