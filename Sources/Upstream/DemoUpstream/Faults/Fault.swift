/// A deliberate fault.
package struct Fault: Sendable, Equatable {
    package var kind: Kind
    /// Applies to this path and paths below it; nil for all.
    package var path: String?
    /// Number of requests it applies to; nil for no limit.
    package var times: Int?
    /// Number of requests that it lets pass first.
    package var after: Int?

    package init(_ kind: Kind, path: String? = nil, times: Int? = nil, after: Int? = nil) {
        self.kind = kind
        self.path = path
        self.times = times
        self.after = after
    }

    package enum Kind: Sendable, Equatable {
        /// Delays the answer.
        case delay(milliseconds: Int)
        /// Sends only the headers and keeps the connection open.
        case stall
        /// Answers with this status; `retryAfter` is sent unchanged.
        case status(Int, retryAfter: String? = nil, body: String? = nil)
        /// Announces more bytes than it sends, then closes.
        case truncate
        /// Resets the connection before the answer.
        case reset
        case rubbish(Rubbish)
        /// Succeeds with an empty list.
        case empty
        /// Sends `Content-Encoding: gzip`, even if the client does not accept it.
        case gzip
        /// An endless gzip body that inflates a hundredfold.
        case gzipBomb
        /// Sends an `ETag` and answers 304 if it matches, unlike the real ones.
        case etag
        /// Sends `Last-Modified` and `Date`, and answers 304 if they match.
        case lastModified
        /// Closes all connections and refuses new ones. Has no path and no times.
        case down
        case errorBody(ErrorBody)
        case slow(bytesPerSecond: Int)
        case redirect(location: String, status: Int = 302)
        /// An endless body.
        case endless
        /// There is always another page of facts, or of a directory.
        case lastPageGrows
        /// Always answers with the first page.
        case ignoresPage
        /// A page of a directory has one user fewer than it could. The next page begins with that user, except where pages are
        /// counted: there the user is missing.
        case shortPage
        /// A directory says that it has ten users more than it lists.
        case largeTotal
    }

    package enum Rubbish: String, Sendable, CaseIterable {
        /// A web page, like that of a captive portal.
        case html
        /// Bytes that are not HTTP.
        case bytes
    }

    /// Errors in a body.
    package enum ErrorBody: String, Sendable, CaseIterable {
        /// Of randomuser.me, with status 200.
        case documented
        /// Of randomuser.me, with status 429.
        case rateLimit = "rate_limit"
        /// In the middle of a list of users that it cuts off, like that of Keycloak, with status 200.
        case afterRecords = "after_records"

        var status: Int {
            switch self {
            case .documented, .afterRecords: 200
            case .rateLimit: 429
            }
        }

        var json: String {
            switch self {
            case .documented:
                #"{"error": "Uh oh, something has gone wrong. Please tell us about it. Thank you."}"#
            case .rateLimit:
                #"{"error":"Whoa, ease up. You've requested 20340 users in the last minute. "#
                    + #"Please spare some bandwidth for the others."}"#
            case .afterRecords:
                #"{"error":"unknown_error","error_description":"For more on this error consult the server log."}"#
            }
        }
    }
}
