import FoundationEssentials
import Model

/// What userd and its upstreams said to one another, in the order in which it was asked.
package struct Recording: Hashable, Sendable {
    package var exchanges: [Exchange]
    /// Nil where a browser made the recording.
    package var session: Session?

    package init(exchanges: [Exchange], session: Session? = nil) {
        self.exchanges = exchanges
        self.session = session
    }

    /// One request and what came of it. A redirect is one, and what it leads to is the next.
    package struct Exchange: Hashable, Sendable {
        package var began: Timestamp
        /// From the request to the last byte of the answer, or to the failure.
        package var took: Duration
        package var method: String
        package var url: URL
        package var requestHeaders: HTTPHeaders
        package var outcome: Outcome

        package init(
            began: Timestamp, took: Duration, method: String = "GET", url: URL,
            requestHeaders: HTTPHeaders = [:],
            outcome: Outcome
        ) {
            self.began = began
            self.took = took
            self.method = method
            self.url = url
            self.requestHeaders = requestHeaders
            self.outcome = outcome
        }
    }

    package enum Outcome: Hashable, Sendable {
        /// The body is decompressed.
        case answer(HTTPResponse)
        /// - Parameter answer: which it came of, where there was one.
        case failure(UpstreamError, answer: Unread? = nil)
        /// The file does not hold what was answered, for that reason.
        case missing(String)
    }

    /// An answer without its body.
    package struct Unread: Hashable, Sendable {
        package var status: Int
        package var headers: HTTPHeaders
        /// Of the body, in bytes.
        package var length: Int

        package init(status: Int, headers: HTTPHeaders, length: Int) {
            self.status = status
            self.headers = headers
            self.length = length
        }
    }

    /// Who made the recording, and how.
    package struct Session: Hashable, Sendable {
        /// Of userd.
        package var version: String
        /// Those that are not the defaults and say what is asked of upstreams and when, by name, as `--print-config` writes
        /// them.
        package var settings: [String: String]
        /// Whether there was more than a recording holds.
        package var isTruncated = false
        /// Whether it holds all that upstreams answered, and not only what userd reads.
        package var isRaw = false

        package init(version: String, settings: [String: String] = [:]) {
            self.version = version
            self.settings = settings
        }
    }
}
