/// An error of a service: the failure, and how long upstream asked us to wait.
package struct UpstreamError: Error, Hashable, Sendable {
    package var failure: Failure
    package var retryAfter: Duration?
    /// Whether the request never left this machine.
    package var isUnsent = false
    /// The setting with the address that was asked; nil for the upstream's own.
    package private(set) var setting: String?

    package init(_ failure: Failure, retryAfter: Duration? = nil) {
        self.failure = failure
        self.retryAfter = retryAfter
    }

    /// The error, which says that it is about the address in this setting.
    package func blaming(_ setting: String) -> UpstreamError {
        guard self.setting == nil else { return self }
        var error = self
        error.setting = setting
        error.failure.reason += " (see \(setting))"
        if !failure.retryable, failure.advice == nil {
            error.failure.advice = failure.adviceOnAnswer(from: setting)
        }
        return error
    }

    /// Makes a failure of this kind. It can be retried if time may mend it: networks return, certificates are
    /// renewed, and a failing server may send rubbish for a while. A wrong request, a body that is too large
    /// or a redirect that is not followed needs a person.
    /// - Parameter parameter: what the advice is about; nil for no advice.
    package init(
        _ kind: Failure.Kind, _ message: String, status: Int? = nil, retryAfter: Duration? = nil,
        advice: Advice.Kind? = nil, about parameter: String? = ""
    ) {
        let retryable =
            switch kind {
            case .offline, .timeout, .tls, .rateLimited, .decode: true
            case .http: status.map { [408, 425, 429].contains($0) || !(300...499 ~= $0) } ?? true
            default: false
            }
        self.init(
            Failure(
                kind: kind, message: message, retryable: retryable, httpStatus: status,
                advice: advice.flatMap { kind in parameter.map { Advice(kind, about: $0) } }),
            retryAfter: retryAfter)
    }
}
