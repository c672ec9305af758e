import Model

/// What may have ended whatever kept a sync from succeeding, or has made its time wrong.
package enum Wakeup: Hashable, Sendable, CaseIterable {
    /// An interface, an address or a route has come.
    case networkChanged
    /// The machine has slept.
    case resumed
    /// The wall clock has been set.
    case clockJumped
}

extension Wakeup {
    /// Whether a sync that failed so may well succeed now. A network that comes back does not mend an upstream's answers.
    package func mayMend(_ failure: Failure) -> Bool {
        switch self {
        case .networkChanged: [.offline, .timeout, .tls].contains(failure.kind)
        case .resumed, .clockJumped: failure.retryable
        }
    }
}
