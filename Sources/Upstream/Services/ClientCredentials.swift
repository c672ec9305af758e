import FoundationEssentials
import HTTP
import Model
import Recordings
import StrictJSON

/// The credentials of a client at a token endpoint (RFC 6749, section 4.4).
package struct ClientCredentials: Sendable {
    package typealias Method = ClientIdentity.Method

    let endpoint: URL
    let client: String
    let secret: @Sendable () throws -> String
    let scope: String?
    let method: Method
    /// Further fields of the request.
    let parameters: [(String, String)]

    /// - Parameter secret: read for each token; messages contain what it throws.
    package init(
        endpoint: URL, client: String, secret: @escaping @Sendable () throws -> String, scope: String? = nil,
        method: Method = .basic, parameters: [(String, String)] = []
    ) {
        self.endpoint = endpoint
        self.client = client
        self.secret = secret
        self.scope = scope
        self.method = method
        self.parameters = parameters
    }
}

extension Authorization {
    /// Requests tokens, and keeps each until a minute before it expires, for half of a short life, or until
    /// upstream refuses it. Neither the request nor the answer is recorded.
    ///
    /// - Parameter redactor: learns the secret and each token.
    package static func clientCredentials(
        _ credentials: ClientCredentials, scheme: String = "Bearer", transport: HTTPTransport,
        redactor: SecretRedactor,
        now: @escaping @Sendable () -> Timestamp
    ) -> Authorization {
        let source = TokenSource(
            credentials: credentials, scheme: scheme, transport: transport, redactor: redactor, now: now)
        return Authorization(scheme: scheme) { try await source.token(refused: $0) }
    }
}

private actor TokenSource {
    private typealias GrantedToken = (
        token: String,
        /// A minute before it expires, or after half of a short life; nil if the endpoint does not say when.
        end: Timestamp?
    )

    private let credentials: ClientCredentials
    private let scheme: String
    private let transport: HTTPTransport
    private let redactor: SecretRedactor
    private let now: @Sendable () -> Timestamp
    private var held: GrantedToken?

    init(
        credentials: ClientCredentials, scheme: String, transport: HTTPTransport, redactor: SecretRedactor,
        now: @escaping @Sendable () -> Timestamp
    ) {
        (self.credentials, self.scheme, self.transport) = (credentials, scheme, transport)
        (self.redactor, self.now) = (redactor, now)
    }

    private nonisolated var url: URL { credentials.endpoint }

    func token(refused: String?) async throws -> String {
        if let held, held.token != refused, held.end.map({ now() < $0 }) ?? true { return held.token }
        held = nil
        let granted = try await grant()
        held = granted
        return granted.token
    }

    private nonisolated func grant() async throws -> GrantedToken {
        let request = try request()
        let asked = now()
        return try await withRedactedMessages(redactor) {
            let response = try await withoutRecording { try await transport.send(request) }
            return try read(response, asked: asked)
        }
    }

    private nonisolated func request() throws -> HTTPRequest {
        guard url.keepsSecrets else {
            throw UpstreamError(
                .credentials,
                """
                the secret of users.oauth.client_id is not sent to \(url.shown), because the connection is not \
                encrypted; set users.oauth.token_url to an https:// address
                """)
        }
        let secret: String
        do { secret = try credentials.secret() } catch {
            throw UpstreamError(
                .credentials, "can't ask \(url.shown) for a token: \("\(error)".shown(upTo: 300))")
        }
        var form = [("grant_type", "client_credentials")]
        if let scope = credentials.scope { form.append(("scope", scope)) }
        let client = ClientIdentity(id: credentials.client, secret: { secret }, method: credentials.method)
        return try HTTPRequest(
            form: form + credentials.parameters, to: url, from: client, redactor: redactor)
    }

    private nonisolated func read(_ response: HTTPResponse, asked: Timestamp) throws -> GrantedToken {
        let json = try? JSONValue(upstream: response.body)
        func text(_ name: String) -> String? { json?[name]?.string }
        let words = [text("error"), text("error_description")].compactMap(\.self).joined(separator: ": ")
        let isSuccess = 200...299 ~= response.status
        var complaint = isSuccess ? nil : json.flatMap(UpstreamComplaint.init(anyIn:))
        if !words.isEmpty { complaint = UpstreamComplaint(text: words) }
        if let text = complaint?.text { complaint?.text = redactor.removed(from: text) }
        if let error = response.failure(from: url, complaint: complaint, now: now()) {
            // A busy or broken endpoint may recover; a mistake in the client's settings does not go away.
            guard error.failure.kind == .http, isSuccess || !error.failure.retryable else { throw error }
            throw UpstreamError(
                .credentials,
                "userd gets no token: \(error.failure.message)", advice: .checkClient)
        }
        guard let token = text("access_token") else {
            throw UpstreamError(.decode, "the answer of \(url.shown) has no access_token in JSON")
        }
        redactor.learn(token)
        guard !token.isEmpty, token.utf8.allSatisfy({ 0x21...0x7E ~= $0 }) else {
            throw UpstreamError(.decode, "the access_token of \(url.shown) is not a valid token")
        }
        if let type = text("token_type")?.asciiLowercased, type != "bearer", type != scheme.asciiLowercased {
            throw UpstreamError(
                .credentials,
                "\(url.shown) gives tokens of the type \(type.shown(upTo: 40))", advice: .changeTokenScheme)
        }
        let end = json?.lifetime("expires_in").map { asked + .seconds($0 - min(60, $0 / 2)) }
        return (token, end)
    }
}
