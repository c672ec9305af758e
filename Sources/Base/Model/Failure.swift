/// Why a sync failed. JSON: `Failure` of io.userd.
///
/// The reason is written where the error is thrown (HTTPResponse+Failure.swift, TransportErrors.swift, LDAPFailure.swift; Machine.swift of interrupted syncs); what
/// to do about it is the table in Advice.swift.
package struct Failure: Hashable, Sendable, Error {
    /// `FailureKind` of io.userd, which documents each kind.
    package enum Kind: String, Sendable, Codable, CaseIterable {
        case offline, timeout, tls, http
        case rateLimited = "rate_limited"
        case decode
        case tooLarge = "too_large"
        case redirect
        case removalGuard = "removal_guard"
        case replay, storage, ldap, credentials, cancelled, interrupted
        /// Any kind that this version does not know.
        case other

        package init(from decoder: any Decoder) throws {
            self = Kind(rawValue: try decoder.singleValueContainer().decode(String.self)) ?? .other
        }
    }

    package var kind: Kind
    /// Says for people what happened, to what and where.
    package var reason: String
    package var advice: Advice?
    /// Whether a later attempt may succeed without user action; UpstreamError.swift decides it.
    package var retryable: Bool
    package var httpStatus: Int?
    /// Consecutive attempts that failed in this way, including this one.
    package var attempts: Int

    /// The reason, and what to do.
    package var message: String { reason + ending }

    /// The kind for people. A 503 that says when to come back is of a limit or of maintenance.
    package var kindInWords: String {
        kind == .rateLimited && httpStatus == 503 ? "unavailable" : kind.rawValue.replacing("_", with: " ")
    }

    /// `http 503`
    package var kindAndStatus: String { kindInWords + (httpStatus.map { " \($0)" } ?? "") }

    /// Whether other credentials may mend it.
    package var isAboutCredentials: Bool {
        switch (kind, httpStatus) {
        case (.credentials, _), (.http, 401?), (.http, 403?): true
        // An error in a body is retried soon unless it is about credentials or rights.
        case (.http, let status?): !retryable && status < 300
        case (.ldap, _): [.checkPassword, .checkBind].contains(advice?.kind)
        default: false
        }
    }

    /// Whether two failures are the same to a person. A gateway in trouble changes between statuses from 500 on.
    package func isLike(_ other: Failure) -> Bool {
        kind == other.kind && min(httpStatus ?? 0, 500) == min(other.httpStatus ?? 0, 500)
    }

    private var ending: String { advice?.words.map { "; \($0)" } ?? "" }

    /// - Parameter message: the reason, without advice.
    package init(
        kind: Kind, message: String, retryable: Bool, httpStatus: Int? = nil, attempts: Int = 1,
        advice: Advice? = nil
    ) {
        self.kind = kind
        self.reason = message
        self.retryable = retryable
        self.httpStatus = httpStatus
        self.attempts = attempts
        self.advice = advice
    }
}

extension Failure: Codable {
    enum CodingKeys: String, CodingKey {
        case kind, message, retryable
        case httpStatus = "http_status"
        case attempts, advice
    }

    /// A message that does not end with the words of its advice is from another version, and says itself what to do.
    package init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            kind: try members.decode(Kind.self, forKey: .kind),
            message: try members.decode(String.self, forKey: .message),
            retryable: try members.decode(Bool.self, forKey: .retryable),
            httpStatus: try members.decodeIfPresent(Int.self, forKey: .httpStatus),
            attempts: try members.decode(Int.self, forKey: .attempts),
            advice: try members.decodeIfPresent(Advice.self, forKey: .advice))
        takeAdviceFromReason()
    }

    /// Removes the words of the advice from the end of a reason that is a whole message.
    package mutating func takeAdviceFromReason() {
        if reason.hasSuffix(ending) { reason.removeLast(ending.count) } else { advice?.words = nil }
    }

    package func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: CodingKeys.self)
        try members.encode(kind, forKey: .kind)
        try members.encode(message, forKey: .message)
        try members.encode(retryable, forKey: .retryable)
        try members.encodeIfPresent(httpStatus, forKey: .httpStatus)
        try members.encode(attempts, forKey: .attempts)
        try members.encodeIfPresent(advice, forKey: .advice)
    }
}
