import FoundationEssentials
import Model

/// What userd and its upstreams said to one another, in the order in which it was asked.
package struct Recording: Hashable, Sendable {
    package var exchanges: [Exchange]
    /// What clients had userd do meanwhile, in that order.
    package var calls: [Call]
    /// Nil where a browser made the recording.
    package var session: Session?

    package init(exchanges: [Exchange], calls: [Call] = [], session: Session? = nil) {
        self.exchanges = exchanges
        self.calls = calls
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
        case failure(UpstreamError)
        /// The file does not hold what was answered, for that reason.
        case missing(String)
    }

    /// Who made the recording, and how.
    package struct Session: Hashable, Sendable {
        /// Of userd.
        package var version: String
        /// Those that are not the defaults and say what is asked of upstreams and when, by name, as `--print-config` writes
        /// them, with no secret in them.
        package var settings: [String: String]
        /// Whether there was more than a recording holds.
        package var isTruncated = false
        /// How many there were; nil where the file does not say.
        package var transitions: Int?

        package init(version: String, settings: [String: String] = [:]) {
            self.version = version
            self.settings = settings
        }
    }
}
