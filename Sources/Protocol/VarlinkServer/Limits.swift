import Synchronization

package struct Limits: Hashable, Sendable {
    /// Open connections. Further ones are spares: see `VarlinkServer.init`.
    package var connections = 256
    /// Bytes of one message.
    package var requestLength = 1 << 20
    /// Nesting of one message, its own object included.
    package var requestDepth = 32
    /// From the first byte of a message to the last; also the time to send pending replies before a close.
    package var requestDeadline = Duration.seconds(10)
    /// Unread bytes of replies, above which the next reply waits.
    package var unreadReplies = 65_536
    /// Bytes that all connections together may hold in requests and unread replies; above, one of the largest
    /// gives way.
    package var heldBytes = 128 << 20
    /// How long a shutdown waits for running calls.
    package var shutdownGrace = Duration.seconds(1)

    package init() {}
}

/// Limits that can be changed at run time.
final class SharedLimits: Sendable {
    private let limits: Mutex<Limits>

    init(_ limits: Limits) { self.limits = Mutex(limits) }

    var current: Limits {
        get { limits.withLock { $0 } }
        set { limits.withLock { $0 = newValue } }
    }
}
