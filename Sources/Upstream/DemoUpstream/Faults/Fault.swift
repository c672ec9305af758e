/// Something that goes wrong on purpose.
package struct Fault: Sendable, Equatable {
    package var kind: Kind
    /// Only requests at this path or below it; nil for all.
    package var path: String?
    /// How many requests it is for; nil for all until it is lifted.
    package var times: Int?

    package init(_ kind: Kind, path: String? = nil, times: Int? = nil) {
        self.kind = kind
        self.path = path
        self.times = times
    }

    package enum Kind: Sendable, Equatable {
        /// Waits before it answers.
        case delay(milliseconds: Int)
        /// Sends the headers and then nothing more.
        case stall
        /// Answers with this status; `retryAfter` is sent as it is.
        case status(Int, retryAfter: String? = nil, body: String? = nil)
        /// Says a length, sends less, and closes.
        case truncate
        /// Resets the connection before anything is sent.
        case reset
        case rubbish(Rubbish)
        /// Succeeds with nobody and nothing in it.
        case empty
        /// `Content-Encoding: gzip`, whatever the client accepts.
        case gzip
        /// A gzip body that inflates a hundredfold and never ends.
        case gzipBomb
        /// Sends an `ETag` and answers 304 to one that still holds, which the real ones do not.
        case etag
        /// Sends a `Last-Modified` and the `Date` that makes it worth something, and answers 304 to one that still holds.
        case lastModified
        /// Refuses connections and closes those there are. Takes neither path nor times.
        case down
        case errorBody(ErrorBody)
        case slow(bytesPerSecond: Int)
        case redirect(location: String, status: Int = 302)
        /// A body without an end.
        case endless
        /// There is always one more page of facts.
        case lastPageGrows
        /// Answers with the first page whichever was asked for.
        case ignoresPage
    }

    package enum Rubbish: String, Sendable, CaseIterable {
        /// A web page, as a captive portal gives it.
        case html
        /// Bytes that are not HTTP.
        case bytes
    }

    /// The ways in which randomuser.me says that it failed, in its body.
    package enum ErrorBody: String, Sendable, CaseIterable {
        /// With status 200.
        case documented
        /// With status 429.
        case rateLimit = "rate_limit"

        var status: Int {
            switch self {
            case .documented: 200
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
            }
        }
    }
}
