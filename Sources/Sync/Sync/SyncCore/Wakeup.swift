import Model

/// A system event that may have fixed a failure, or made a due time wrong.
package enum Wakeup: Hashable, Sendable, CaseIterable {
    /// A new interface, address or route.
    case networkChanged
    /// Resume from suspend.
    case resumed
    /// The wall clock was set.
    case clockJumped
}

extension Wakeup {
    /// True if a retry may now succeed. A new network does not fix an upstream's answers.
    package func mayMend(_ failure: Failure) -> Bool {
        switch self {
        case .networkChanged: [.offline, .timeout, .tls].contains(failure.kind)
        case .resumed, .clockJumped: failure.retryable
        }
    }
}
