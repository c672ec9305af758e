/// A reply that is not what its interface declares, found by who would have sent it or by who has received it.
package struct InvalidReply: Error, Hashable, Sendable, CustomStringConvertible {
    /// Fully qualified.
    package let method: String
    /// What is wrong, and where.
    package let reason: String

    package init(method: String, reason: String) {
        self.method = method
        self.reason = reason
    }

    package var description: String {
        "the answer to \(method) is not what its interface says: \(reason)"
    }
}
