import NIOCore
import Varlink

/// Decides which connection gives way to others.
extension ConnectionHandler {
    /// The time at which the client last sent or read something; nil if it waits for the service and has read
    /// everything.
    var restsSince: NIODeadline? {
        unread == 0 && (connection.currentCall != nil || work != nil) ? nil : lastHeard
    }

    /// Closes the connection, because another client needs its place or memory.
    func giveWay() {
        violations.happened("was idle for longest, and another client needed its place or memory")
        context?.channel.close(promise: nil)
    }

    /// The kernel has taken bytes of replies, or the channel has closed.
    func taken(_ bytes: Int) {
        lastHeard = .now()
        unread -= bytes
        updateHeldBytes()
    }

    func updateHeldBytes() {
        let change = unread + connection.heldBytes - heldBytes
        guard change != 0 else { return }
        heldBytes += change
        holds(change)
    }
}
