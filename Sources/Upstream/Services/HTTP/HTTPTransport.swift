import FoundationEssentials

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

package struct HTTPResponse: Hashable, Sendable {
    package var status: Int
    package var headers: HTTPHeaders
    /// Decompressed.
    package var body: [UInt8]

    package init(status: Int, headers: HTTPHeaders = [:], body: [UInt8] = []) {
        self.status = status
        self.headers = headers
        self.body = body
    }
}

/// Header fields in the order of the message; names are compared without regard to case.
package struct HTTPHeaders: Hashable, Sendable, ExpressibleByDictionaryLiteral {
    package struct Field: Hashable, Sendable {
        package var name: String
        package var value: String

        package init(name: String, value: String) {
            self.name = name
            self.value = value
        }
    }

    package private(set) var fields: [Field]

    package init(fields: [Field]) {
        self.fields = fields
    }

    package init(dictionaryLiteral elements: (String, String)...) {
        fields = elements.map(Field.init)
    }

    /// The first field of that name. Setting replaces all of that name; setting nil removes them.
    package subscript(_ name: String) -> String? {
        get { fields.first { $0.isNamed(name) }?.value }
        set {
            fields.removeAll { $0.isNamed(name) }
            if let newValue { fields.append(Field(name: name, value: newValue)) }
        }
    }
}

extension HTTPHeaders.Field {
    /// Field names are ASCII (RFC 9110, section 5.1).
    func isNamed(_ other: String) -> Bool {
        name.utf8.count == other.utf8.count
            && zip(name.utf8, other.utf8).allSatisfy { $0 == $1 || $0.asciiLowercased == $1.asciiLowercased }
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
