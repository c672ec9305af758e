/// Why a sync failed. JSON: `Failure` of io.userd.
package struct Failure: Hashable, Sendable, Codable, Error {
    /// `FailureKind` of io.userd, which documents each kind.
    package enum Kind: String, Sendable, Codable, CaseIterable {
        case offline, timeout, tls, http
        case rateLimited = "rate_limited"
        case decode
        case tooLarge = "too_large"
        case redirect
        case removalGuard = "removal_guard"
        case replay, storage, ldap, credentials, cancelled, interrupted
    }

    package var kind: Kind
    /// Says for people what happened, to what and where.
    package var message: String
    /// Whether a later attempt may succeed without user action.
    package var retryable: Bool
    package var httpStatus: Int?
    /// Consecutive failed attempts, including this one.
    package var attempts: Int

    package init(
        kind: Kind, message: String, retryable: Bool, httpStatus: Int? = nil, attempts: Int = 1
    ) {
        self.kind = kind
        self.message = message
        self.retryable = retryable
        self.httpStatus = httpStatus
        self.attempts = attempts
    }

    enum CodingKeys: String, CodingKey {
        case kind, message, retryable
        case httpStatus = "http_status"
        case attempts
    }
}
