import Model

/// When a list is to be read whole again.
struct FullListTime {
    /// The last such list.
    var readAt: Timestamp
    /// Until when a list that was due while the machine slept waits; nil if none does.
    var waitsUntil: Timestamp?

    /// A list is due up to a tenth earlier than its interval says, so that machines which started together drift apart. Those
    /// that slept over the time come back together. Each then waits for a part of four hours, once, unless its list is older
    /// than a week.
    /// - Parameters:
    ///   - interval: the longest time between two lists.
    ///   - last: the last success, and the interval of syncs: after two hours without one, or two intervals, the machine has slept.
    ///   - draw: random, in 0..<1.
    mutating func isDue(_ interval: Duration, last: LastSync?, now: Timestamp, draw: Double) -> Bool {
        let age = now - readAt
        // The clock is wrong now, or was then.
        if age < .zero { return true }
        let spread = 1 - 0.0001 * Double(readAt.milliseconds % 1000)
        guard age >= interval * spread else { return false }
        let week = Duration.seconds(7 * 86_400)
        let longest = Duration.seconds(4 * 3600)
        // The clock was ahead.
        if let wait = waitsUntil, wait > now + longest { waitsUntil = nil }
        let hasSlept = last.map { now - $0.at >= max(.seconds(7200), $0.interval * 2) } ?? false
        if waitsUntil == nil, hasSlept, age < interval + week {
            waitsUntil = now + min(interval / 6, longest) * draw
        }
        return waitsUntil.map { now >= $0 } ?? true
    }
}

/// The last sync that succeeded.
package struct LastSync: Sendable {
    package var at: Timestamp
    /// From one sync to the next.
    package var interval: Duration

    package init(at: Timestamp, interval: Duration) { (self.at, self.interval) = (at, interval) }
}
