import Glibc
import SyncCore

/// What three clocks say at one moment, each since an origin of its own. See clock_gettime(2).
package struct ClockReading: Hashable, Sendable {
    /// CLOCK_MONOTONIC stands still while the machine sleeps, and nobody can set it.
    package var monotonic: Duration
    /// CLOCK_BOOTTIME goes on while the machine sleeps, and nobody can set it.
    package var boot: Duration
    /// CLOCK_REALTIME goes on while the machine sleeps, and can be set.
    package var real: Duration

    package init(monotonic: Duration, boot: Duration, real: Duration) {
        self.monotonic = monotonic
        self.boot = boot
        self.real = real
    }

    /// What has happened to the machine between an earlier reading and this one. All three clocks are slewed alike.
    package func wakeups(since earlier: ClockReading) -> Set<Wakeup> {
        let slept = (boot - monotonic) - (earlier.boot - earlier.monotonic)
        let moved = (real - boot) - (earlier.real - earlier.boot)
        var wakeups: Set<Wakeup> = []
        if slept > .seconds(1) { wakeups.insert(.resumed) }
        if moved > .seconds(1) || moved < .seconds(-1) { wakeups.insert(.clockJumped) }
        return wakeups
    }
}

extension ClockReading {
    /// As the clocks are.
    package static func now() -> ClockReading {
        var reading = once()
        // One that was interrupted for long, be it by a sleep of the machine, would tell of what never was.
        for _ in 0..<3 where time(CLOCK_BOOTTIME) - reading.boot > .milliseconds(100) { reading = once() }
        return reading
    }

    private static func once() -> ClockReading {
        let boot = time(CLOCK_BOOTTIME)
        return ClockReading(monotonic: time(CLOCK_MONOTONIC), boot: boot, real: time(CLOCK_REALTIME))
    }
}

private func time(_ clock: Int32) -> Duration {
    var time = timespec()
    clock_gettime(clock, &time)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
}
