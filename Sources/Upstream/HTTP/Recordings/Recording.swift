import FoundationEssentials
import Model

/// Exchanges of userd with its upstreams, in the order of the requests.
package struct Recording: Hashable, Sendable {
    package var exchanges: [Exchange]
    /// Nil if a browser made the recording.
    package var session: Session?

    package init(exchanges: [Exchange], session: Session? = nil) {
        self.exchanges = exchanges
        self.session = session
    }

    /// One request and its outcome. A redirect and the request after it are two.
    package struct Exchange: Hashable, Sendable {
        package var began: Timestamp
        /// From the request to the last byte of the answer, or to the failure.
        package var took: Duration
        package var method = "GET"
        package var url: URL
        package var requestHeaders: HTTPHeaders = [:]
        package var outcome: Outcome
    }

    package enum Outcome: Hashable, Sendable {
        /// The body is decompressed.
        case answer(HTTPResponse)
        /// - Parameter answer: the answer that caused the failure, if any.
        case failure(UpstreamError, answer: Unread? = nil)
        /// The file does not contain the answer, for this reason.
        case missing(String)
    }

    /// An answer without its body.
    package struct Unread: Hashable, Sendable {
        package var status: Int
        package var headers: HTTPHeaders
        /// The body's length in bytes.
        package var length: Int
    }

    package struct Session: Hashable, Sendable {
        /// userd's version.
        package var version: String
        /// Settings that affect requests and are not defaults, by name, as `--print-config` writes them.
        package var settings: [String: String]
        /// Whether there was more than fits into a recording.
        package var isTruncated = false
        /// Whether answers are whole, not only what userd reads.
        package var isRaw = false

        package init(version: String, settings: [String: String] = [:]) {
            self.version = version
            self.settings = settings
        }
    }
}
