import Model

/// What a service throws: the failure, and how long upstream asked us to stay away.
package struct UpstreamError: Error, Hashable, Sendable {
    package var failure: Failure
    package var retryAfter: Duration?

    package init(_ failure: Failure, retryAfter: Duration? = nil) {
        self.failure = failure
        self.retryAfter = retryAfter
    }
}
