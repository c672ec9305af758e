import Model
import Synchronization
import UserdAPI

/// Encodes each state of Watch once for all watchers, which receive the same states at about the same time.
final class EncodedStates: Sendable {
    private let recent = Mutex<[(state: State, reply: [UInt8])]>([])

    private static let count = 16

    func reply(_ state: State) throws -> [UInt8] {
        if let known = recent.withLock({ $0.last { $0.state == state }?.reply }) { return known }
        let reply = try encoded(WatchedState(state: state))
        recent.withLock { recent in
            if recent.count == Self.count { recent.removeFirst() }
            recent.append((state, reply))
        }
        return reply
    }
}
