import Glibc
import SQLite
import Synchronization

/// Reads on the caller's thread that are expected to be over at once: a change of threads would take longer than they do.
///
/// A read ends after a number of SQLite's instructions, which doesn't bound the time that a disk takes. So after a read
/// that waited long, none is tried for a while.
package final class ShortReads: Sendable {
    package struct Meter: Sendable {
        package var time: Duration
        /// How often the calling thread has waited for something, such as a disk.
        package var waits: Int

        package init(time: Duration, waits: Int) { (self.time, self.waits) = (time, waits) }

        /// RUSAGE_THREAD, which Swift's Glibc module leaves out.
        private static let thread: Int32 = 1

        @Sendable package static func now() -> Meter {
            var (time, usage) = (timespec(), rusage())
            clock_gettime(CLOCK_MONOTONIC, &time)
            getrusage(thread, &usage)
            return Meter(
                time: .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec), waits: usage.ru_nvcsw)
        }
    }

    private static let thousandsOfInstructions = 5
    private static let long = Duration.milliseconds(2)
    private static let pause = Duration.seconds(1)

    private let pool: ReaderPool
    private let meter: @Sendable () -> Meter
    private let pausedUntil = Mutex(Duration.zero)

    package init(_ pool: ReaderPool, meter: @escaping @Sendable () -> Meter = Meter.now) {
        self.pool = pool
        self.meter = meter
    }

    /// Nil if the read can't be done at once.
    package func read<T: Sendable>(_ body: @Sendable (Connection) throws -> T) throws -> T? {
        let start = meter()
        guard start.time >= pausedUntil.withLock({ $0 }) else { return nil }
        defer {
            let end = meter()
            // On a busy machine, a read may take long without a wait.
            if end.time - start.time > Self.long, end.waits > start.waits {
                pausedUntil.withLock { $0 = end.time + Self.pause }
            }
        }
        return try pool.runNow { connection in
            try connection.limited(toThousands: Self.thousandsOfInstructions) {
                try connection.reading { try body(connection) }
            }
        }
    }
}
