import Model

/// The engine's clocks, randomness and executor; tests and the simulator have their own.
package struct EngineEnvironment: Sendable {
    /// The wall clock, for times that are shown and stored.
    package var now: @Sendable () -> Timestamp
    /// A clock that can't be set, from any origin.
    package var monotonic: @Sendable () -> Duration
    /// Waits on that clock; throws `CancellationError` when the task is cancelled.
    package var sleep: @Sendable (Duration) async throws -> Void
    /// A random number in 0..<1.
    package var draw: @Sendable () -> Double

    /// Runs the engine's own tasks; nil for Swift's.
    package var executor: (any TaskExecutor)?

    package init(
        now: @escaping @Sendable () -> Timestamp, monotonic: @escaping @Sendable () -> Duration,
        sleep: @escaping @Sendable (Duration) async throws -> Void, draw: @escaping @Sendable () -> Double,
        executor: (any TaskExecutor)? = nil
    ) {
        self.now = now
        self.monotonic = monotonic
        self.sleep = sleep
        self.draw = draw
        self.executor = executor
    }
}
