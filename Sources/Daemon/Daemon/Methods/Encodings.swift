import Synchronization
import UserdAPI

/// Encodes each of the last few values once, for all clients that receive the same at about the same time.
final class Encodings<Value: Encodable & Equatable & Sendable>: Sendable {
    private let recent = Mutex<[(value: Value, encoding: [UInt8])]>([])
    private let count: Int

    init(_ count: Int) { self.count = count }

    func encoding(_ value: Value) throws -> [UInt8] {
        if let known = recent.withLock({ $0.last { $0.value == value }?.encoding }) { return known }
        let encoding = try encoded(value)
        recent.withLock { recent in
            if recent.count == count { recent.removeFirst() }
            recent.append((value, encoding))
        }
        return encoding
    }
}
