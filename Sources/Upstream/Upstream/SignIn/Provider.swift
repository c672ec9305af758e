import FoundationEssentials
import HTTP
import Model
import StrictJSON

/// The provider's endpoints: those of the settings, and those of its document.
struct Provider: Sendable {
    let client: OAuthClient
    var endpoints: [OAuthClient.Endpoint: URL]
    /// Redirects always name the issuer (RFC 9207).
    var alwaysNamesIssuer = false
    /// Values of `prompt` that its document lists.
    var prompts: [String] = []

    /// Whether it knows `prompt=select_account`, by which people choose among the accounts of their browser (OpenID
    /// Connect Core 1.0, section 3.1.2.1). Many providers refuse a value that they don't know.
    var letsPeopleChoose: Bool {
        let known = [
            "accounts.google.com", "login.microsoftonline.com", "login.microsoftonline.us",
            "login.partner.microsoftonline.cn",
        ]
        let host = endpoints[.authorization].flatMap(HTTPOrigin.init)?.host.text ?? ""
        return prompts.contains("select_account") || known.contains(host)
    }

    func endpoint(_ name: OAuthClient.Endpoint) throws(UpstreamError) -> URL {
        guard let url = endpoints[name] else {
            throw UpstreamError(
                .credentials, "\(client.provider) does not say where its \(name.noun) is",
                advice: name == .device ? .nameDeviceEndpoint : .nameEndpoint, about: name.rawValue)
        }
        return url
    }
}

extension OAuthClient {
    /// Reads the provider's document (OpenID Connect Discovery 1.0, section 4, or RFC 8414, section 3).
    func provider(_ http: ProviderHTTP) async throws -> Provider {
        guard let issuer else { return Provider(client: self, endpoints: endpoints) }
        guard let address = URL(httpAddress: issuer), address.keepsSecrets else {
            throw UpstreamError(
                .credentials, "\(provider) is not an https:// address", advice: .checkIssuer)
        }
        var last: HTTPResponse?
        for url in Self.documents(of: address) {
            var request = HTTPRequest(json: url)
            request.maximumBodyBytes = 1 << 20
            // Another origin's word is not the provider's.
            request.staysAtOrigin = true
            let response = try await http.send(request, of: "users.oauth.issuer")
            if response.status >= 500 || response.status == 429,
                let failure = response.failure(from: url, now: http.now())
            {
                throw failure.blaming("users.oauth.issuer")
            }
            last = response
            guard response.status == 200, let json = response.json else { continue }
            return try read(json, from: url, issuer)
        }
        if endpoints[.token] != nil { return Provider(client: self, endpoints: endpoints) }
        throw UpstreamError(
            .credentials,
            "\(provider) has no document of a provider (it answered \(last?.status ?? 0))",
            advice: .checkIssuer)
    }

    private func read(_ json: JSONValue, from url: URL, _ issuer: String) throws(UpstreamError) -> Provider {
        guard let named = json["issuer"]?.string, named == issuer else {
            let named = json["issuer"]?.string?.shown(upTo: 200)
            // Microsoft's document for all tenants has a placeholder.
            let other = named.flatMap { $0.contains("{") ? nil : $0 }
            throw UpstreamError(
                .credentials,
                "the document at \(url.shown) is of \(named ?? "nobody"), not of \(issuer.shown(upTo: 200))",
                advice: other == nil ? .checkIssuer : .setIssuer, about: other ?? "")
        }
        var provider = Provider(client: self, endpoints: endpoints)
        provider.alwaysNamesIssuer = json["authorization_response_iss_parameter_supported"]?.bool == true
        provider.prompts = json["prompt_values_supported"]?.elements?.compactMap(\.string) ?? []
        let isLocal = URL(httpAddress: issuer).flatMap(HTTPOrigin.init)?.host.isLoopback == true
        for name in Endpoint.allCases where provider.endpoints[name] == nil {
            guard let text = json[name.member]?.string, let endpoint = URL(httpAddress: text),
                HTTPOrigin(endpoint)?.isOverTLS == true || isLocal && endpoint.keepsSecrets
            else { continue }
            provider.endpoints[name] = endpoint
        }
        return provider
    }

    /// In the order in which they are asked.
    static func documents(of issuer: URL) -> [URL] {
        guard var parts = URLComponents(url: issuer, resolvingAgainstBaseURL: true) else { return [] }
        (parts.query, parts.fragment) = (nil, nil)
        let path = String(parts.percentEncodedPath.reversed().drop { $0 == "/" }.reversed())
        return [
            path + "/.well-known/openid-configuration", "/.well-known/oauth-authorization-server" + path,
        ].compactMap {
            parts.percentEncodedPath = $0
            return parts.url
        }
    }
}

extension OAuthClient.Endpoint {
    fileprivate var member: String {
        self == .device ? "device_authorization_endpoint" : "\(rawValue)_endpoint"
    }

    fileprivate var noun: String {
        self == .device ? "endpoint for device codes" : "\(rawValue) endpoint"
    }
}
