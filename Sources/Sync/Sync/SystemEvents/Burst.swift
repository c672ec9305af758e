/// Collects events that belong together: an interface, its addresses and its routes arrive one after the
/// other, and are reported as one event. Times are monotonic.
package struct Burst {
    /// Time from the first event to the report.
    package static let length = Duration.seconds(1)

    private var pending: Set<Wakeup> = []
    private var due: Duration?

    package mutating func add(_ wakeups: Set<Wakeup>, at now: Duration) {
        guard !wakeups.isEmpty else { return }
        pending.formUnion(wakeups)
        due = due ?? now + Self.length
    }

    /// Time until the report; nil without events.
    package func remaining(at now: Duration) -> Duration? { due.map { max(.zero, $0 - now) } }

    /// The due events, each once.
    package mutating func take(at now: Duration) -> [Wakeup] {
        guard let due, due <= now else { return [] }
        defer { self = Burst() }
        return Wakeup.allCases.filter(pending.contains)
    }
}
