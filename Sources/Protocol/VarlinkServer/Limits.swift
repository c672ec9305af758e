import Synchronization

/// What bounds what clients can make grow.
package struct Limits: Hashable, Sendable {
    /// Open at once. Those beyond are spares: see `VarlinkServer.init`.
    package var connections = 256
    /// Of one message, in bytes.
    package var requestLength = 1 << 20
    /// Of one message's arrays and objects, its own included.
    package var requestDepth = 32
    /// From the first byte of a message to its last, and to hand out what is left when a connection is to be closed.
    package var requestDeadline = Duration.seconds(10)
    /// Replies that the client has not read, in bytes: beyond this the next reply waits.
    package var unreadReplies = 65_536
    /// How long a shutdown waits for calls that run.
    package var shutdownGrace = Duration.seconds(1)

    package init() {}
}

/// Limits that may become others while they are in force.
final class SharedLimits: Sendable {
    private let limits: Mutex<Limits>

    init(_ limits: Limits) { self.limits = Mutex(limits) }

    var current: Limits {
        get { limits.withLock { $0 } }
        set { limits.withLock { $0 = newValue } }
    }
}
