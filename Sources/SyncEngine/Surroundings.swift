import Model

/// Time and chance, as the engine has them: a test or a simulator puts its own in.
package struct Surroundings: Sendable {
    /// The wall clock: for what is shown and stored.
    package var now: @Sendable () -> Timestamp
    /// Waits on a clock that no one sets; throws `CancellationError` when the task is cancelled.
    package var sleep: @Sendable (Duration) async throws -> Void
    /// In 0..<1.
    package var draw: @Sendable () -> Double

    package init(
        now: @escaping @Sendable () -> Timestamp, sleep: @escaping @Sendable (Duration) async throws -> Void,
        draw: @escaping @Sendable () -> Double
    ) {
        self.now = now
        self.sleep = sleep
        self.draw = draw
    }
}
