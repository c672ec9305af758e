import HTTP
import Model

extension Authorization {
    /// Requests tokens for userd itself (RFC 6749, section 4.4). Each is kept in memory until a minute before it
    /// expires, for three quarters of a short life, or until upstream refuses it.
    package static func clientCredentials(
        _ client: OAuthClient, transport: HTTPTransport, redactor: SecretRedactor,
        now: @escaping @Sendable () -> Timestamp
    ) -> Authorization {
        let source = TokenSource(client, ProviderHTTP(transport: transport, redactor: redactor, now: now))
        return Authorization(scheme: client.scheme ?? "Bearer") { try await source.token(refused: $0) }
    }
}

private actor TokenSource {
    private let client: OAuthClient
    private let http: ProviderHTTP
    private var held: TokenAnswer?

    init(_ client: OAuthClient, _ http: ProviderHTTP) { (self.client, self.http) = (client, http) }

    func token(refused: String?) async throws -> String {
        if let held, held.accessToken != refused, held.renewAt.map({ http.now() < $0 }) ?? true {
            return held.accessToken
        }
        held = nil
        let scope = client.scope.map { [("scope", $0)] } ?? []
        do {
            let answer = try await http.tokens(
                [("grant_type", "client_credentials")] + scope,
                at: Provider(client: client, endpoints: client.endpoints).endpoint(.token), of: client)
            held = answer
            return answer.accessToken
        } catch let refusal as OAuthRefusal {
            throw refusal.failure("userd gets no token", isOfPerson: false)
        }
    }
}
