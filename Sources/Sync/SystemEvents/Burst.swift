import SyncCore

/// What has happened and is not told of yet: an interface, its addresses and its routes come one after the other, and are
/// one event. Times are those of a clock that nobody sets.
package struct Burst {
    /// From the first of it until it is told of.
    package static let length = Duration.seconds(1)

    private var pending: Set<Wakeup> = []
    private var due: Duration?

    package init() {}

    package mutating func add(_ wakeups: Set<Wakeup>, at now: Duration) {
        guard !wakeups.isEmpty else { return }
        pending.formUnion(wakeups)
        due = due ?? now + Self.length
    }

    /// How long until it is due; nil where there is nothing.
    package func remaining(at now: Duration) -> Duration? { due.map { max(.zero, $0 - now) } }

    /// What is due, each once.
    package mutating func take(at now: Duration) -> [Wakeup] {
        guard let due, due <= now else { return [] }
        defer { self = Burst() }
        return Wakeup.allCases.filter(pending.contains)
    }
}
