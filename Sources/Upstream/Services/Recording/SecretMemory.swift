import Synchronization

/// What requests and answers have said to be secret: a later answer may tell it in its own words, and messages quote those.
package final class SecretMemory: Sendable {
    private let contents = Mutex(Redaction())

    package init() {}

    package var redaction: Redaction { contents.withLock { $0 } }

    /// - Parameter told: what is secret in the answer's body.
    /// - Returns: what knows all of it, and of those before.
    @discardableResult
    package func learn(
        from request: HTTPRequest, _ outcome: Recording.Outcome? = nil, told: [String] = []
    ) -> Redaction {
        contents.withLock { redaction in
            redaction.learn(from: request, outcome)
            redaction.learn(told)
            return redaction
        }
    }
}
