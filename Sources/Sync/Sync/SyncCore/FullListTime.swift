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
    ///   - synced: the last success; after two hours without one, the machine has slept.
    ///   - draw: random, in 0..<1.
    mutating func isDue(_ interval: Duration, synced: Timestamp?, now: Timestamp, draw: Double) -> Bool {
        let age = now - readAt
        // The clock is wrong now, or was then.
        if age < .zero { return true }
        let spread = 1 - 0.0001 * Double(readAt.milliseconds % 1000)
        guard age >= interval * spread else { return false }
        let week = Duration.seconds(7 * 86_400)
        let hasSlept = synced.map { now - $0 >= .seconds(7200) } ?? false
        if waitsUntil == nil, hasSlept, age < interval + week {
            waitsUntil = now + min(interval / 6, .seconds(4 * 3600)) * draw
        }
        return waitsUntil.map { now >= $0 } ?? true
    }
}
