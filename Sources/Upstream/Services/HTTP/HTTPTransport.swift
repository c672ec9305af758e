import FoundationEssentials
import Model

/// HTTP as the services need it: one request, one whole answer.
///
/// A status outside 2xx is an answer, not an error. What keeps an answer from coming whole is thrown as an
/// `UpstreamError`; a cancelled task gets its `CancellationError`.
package struct HTTPTransport: Sendable {
    package var send: @Sendable (HTTPRequest) async throws -> HTTPResponse

    package init(send: @escaping @Sendable (HTTPRequest) async throws -> HTTPResponse) {
        self.send = send
    }
}

extension HTTPTransport {
    /// What services use, out of a transport for single exchanges: redirects are followed by our own rule, and each answer has
    /// this long to come whole.
    package func answeringInFull(within deadline: Duration) -> HTTPTransport {
        followingRedirects().within(deadline)
    }
}

/// A GET: userd asks, and changes nothing upstream.
package struct HTTPRequest: Hashable, Sendable {
    /// http or https, with a host.
    package var url: URL
    package var headers: HTTPHeaders
    /// Of the body, after decompression, where less is asked for than the transport would take; nil for what it takes.
    package var maximumBodyBytes: Int?

    package init(url: URL, headers: HTTPHeaders = [:], maximumBodyBytes: Int? = nil) {
        self.url = url
        self.headers = headers
        self.maximumBodyBytes = maximumBodyBytes
    }
}

/// What one answer may cost.
package struct HTTPLimits: Hashable, Sendable {
    /// For the connection, TLS included.
    package var connectTimeout: Duration
    /// From the request to the last byte of the body, redirects included.
    package var deadline: Duration
    /// Of a body after decompression.
    package var maxResponseBytes: Int
    /// Open at the same time to one host; further requests wait for one of them.
    package var connectionsPerHost: Int

    package init(
        connectTimeout: Duration, deadline: Duration, maxResponseBytes: Int, connectionsPerHost: Int = 8
    ) {
        self.connectTimeout = connectTimeout
        self.deadline = deadline
        self.maxResponseBytes = maxResponseBytes
        self.connectionsPerHost = connectionsPerHost
    }
}
