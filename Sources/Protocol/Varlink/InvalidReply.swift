/// A reply that does not match its interface, found by the server before sending or by the client.
package struct InvalidReply: Error, Hashable, Sendable, CustomStringConvertible {
    /// Fully qualified.
    package let method: String
    package let reason: String

    package init(method: String, reason: String) {
        self.method = method
        self.reason = reason
    }

    package var description: String {
        "the reply to \(method) does not match its interface: \(reason)"
    }
}
