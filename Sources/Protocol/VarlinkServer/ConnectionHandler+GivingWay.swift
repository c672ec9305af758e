import NIOCore
import Varlink

/// What decides which connection gives way to others.
extension ConnectionHandler {
    /// Since when the client has neither sent nor read; nil if it waits for the service and has read everything.
    var restsSince: NIODeadline? {
        unread == 0 && (connection.currentCall != nil || work != nil) ? nil : lastHeard
    }

    /// Another client needs the place or the memory.
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
