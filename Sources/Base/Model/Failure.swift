/// Why a sync failed. JSON: `Failure` of io.userd.
package struct Failure: Hashable, Sendable, Codable, Error {
    /// `FailureKind` of io.userd, which documents each kind. A value that is decoded may be of another version.
    package struct Kind: Hashable, Sendable, Codable, RawRepresentable, CaseIterable {
        package let rawValue: String

        package static let allCases: [Kind] = [
            .offline, .timeout, .tls, .http, .rateLimited, .decode, .tooLarge, .redirect, .removalGuard,
            .replay, .storage, .ldap, .credentials, .cancelled, .interrupted,
        ]

        package static let offline = Kind("offline")
        package static let timeout = Kind("timeout")
        package static let tls = Kind("tls")
        package static let http = Kind("http")
        package static let rateLimited = Kind("rate_limited")
        package static let decode = Kind("decode")
        package static let tooLarge = Kind("too_large")
        package static let redirect = Kind("redirect")
        package static let removalGuard = Kind("removal_guard")
        package static let replay = Kind("replay")
        package static let storage = Kind("storage")
        package static let ldap = Kind("ldap")
        package static let credentials = Kind("credentials")
        package static let cancelled = Kind("cancelled")
        package static let interrupted = Kind("interrupted")

        private init(_ rawValue: String) { self.rawValue = rawValue }

        package init?(rawValue: String) {
            self.init(rawValue)
            guard Self.allCases.contains(self) else { return nil }
        }

        package init(from decoder: any Decoder) throws {
            self.init(try decoder.singleValueContainer().decode(String.self))
        }
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
