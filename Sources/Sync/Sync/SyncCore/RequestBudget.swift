/// Limits how often requested syncs begin: a burst, then one after each interval. Pure: the time is an argument.
package struct RequestBudget: Hashable, Sendable {
    package static let interval = Duration.seconds(10)

    /// Number of syncs that may begin in a row; nil for no limit.
    package var burst: Int?
    /// When the whole burst is available again, on the caller's clock.
    private(set) var wholeAt: Duration?

    /// - Returns: zero, or how long to wait if nothing is left; then nothing is taken.
    package mutating func take(at now: Duration) -> Duration {
        guard let burst else { return .zero }
        let next = max(wholeAt ?? now, now) + Self.interval
        let wait = next - Self.interval * burst - now
        guard wait <= .zero else { return wait }
        wholeAt = next
        return .zero
    }
}
