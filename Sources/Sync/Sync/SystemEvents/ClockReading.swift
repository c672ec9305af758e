import Glibc

/// Readings of three clocks at one moment, each from its own origin. See clock_gettime(2).
package struct ClockReading: Hashable, Sendable {
    /// CLOCK_MONOTONIC: stops during suspend, cannot be set.
    package var monotonic: Duration
    /// CLOCK_BOOTTIME: continues during suspend, cannot be set.
    package var boot: Duration
    /// CLOCK_REALTIME: continues during suspend, can be set.
    package var real: Duration

    /// Events since an earlier reading. The kernel slews all three clocks alike, so only jumps count.
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
    package static func now() -> ClockReading {
        var reading = once()
        // An interruption during the readings, such as a suspend, would look like a clock jump.
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
