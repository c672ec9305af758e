import FoundationEssentials

/// HTTP as the services need it: one request, one complete answer.
///
/// A status outside 2xx is an answer, not an error. Throws `UpstreamError` if the answer is incomplete, and
/// `CancellationError` in a cancelled task.
package struct HTTPTransport: Sendable {
    package var send: @Sendable (HTTPRequest) async throws -> HTTPResponse

    package init(send: @escaping @Sendable (HTTPRequest) async throws -> HTTPResponse) {
        self.send = send
    }
}

extension HTTPTransport {
    /// Adds userd's redirects, and a deadline for the complete answer, to a transport of single exchanges.
    package func answeringInFull(
        within deadline: Duration, redirects: RedirectRule = RedirectRule()
    ) -> HTTPTransport {
        followingRedirects(redirects).within(deadline)
    }
}

/// A GET, or with a body a POST, which token endpoints and some lists require; userd changes nothing
/// upstream.
package struct HTTPRequest: Hashable, Sendable {
    /// http or https, with a host.
    package var url: URL
    package var headers: HTTPHeaders
    /// May hold a secret: sent only to the address of the request.
    package var body: [UInt8]?
    /// Query parameters whose values are recorded, in addition to those of randomuser.me and catfact.ninja.
    package var recordedParameters: Set<String> = []
    /// Headers of the answer that are read, and recorded, in addition to the usual ones.
    package var recordedHeaders: [String] = []
    /// Limits the answer's body, after decompression; nil for the transport's own limit, which always
    /// applies.
    package var maximumBodyBytes: Int?
    /// A redirect to another origin is the answer.
    package var staysAtOrigin = false

    package init(
        url: URL, headers: HTTPHeaders = [:], body: [UInt8]? = nil, maximumBodyBytes: Int? = nil
    ) {
        self.url = url
        self.headers = headers
        self.body = body
        self.maximumBodyBytes = maximumBodyBytes
    }

    package var method: String { body == nil ? "GET" : "POST" }
}

package struct HTTPLimits: Hashable, Sendable {
    /// Time limit of connecting, TLS included.
    package var connectTimeout: Duration
    /// From the request to the last byte of the body, redirects included.
    package var deadline: Duration
    /// Limits a body after decompression.
    package var maxResponseBytes: Int
    /// Connections open at the same time; further requests wait.
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
