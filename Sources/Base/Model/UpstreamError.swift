/// What a service throws: the failure, and how long upstream asked us to stay away.
package struct UpstreamError: Error, Hashable, Sendable {
    package var failure: Failure
    package var retryAfter: Duration?
    /// Not yet in the failure's message.
    package var advice: Advice?

    package init(_ failure: Failure, retryAfter: Duration? = nil, advice: Advice? = nil) {
        self.failure = failure
        self.retryAfter = retryAfter
        self.advice = advice
    }

    /// A failure of that kind, which is worth trying again where time alone may mend it: networks come back, certificates
    /// are renewed, outages answer rubbish, and servers get well; what was asked wrongly, a body too large or a redirect
    /// that is not followed is for a person.
    package init(
        _ kind: Failure.Kind, _ message: String, status: Int? = nil, retryAfter: Duration? = nil,
        advice: Advice? = nil
    ) {
        let retryable =
            switch kind {
            case .offline, .timeout, .tls, .rateLimited, .decode: true
            case .http: status.map { [408, 425, 429].contains($0) || !(300...499 ~= $0) } ?? true
            default: false
            }
        self.init(
            Failure(kind: kind, message: message, retryable: retryable, httpStatus: status),
            retryAfter: retryAfter, advice: advice)
    }
}
