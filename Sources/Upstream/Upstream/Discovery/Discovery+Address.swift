import FoundationEssentials
import HTTP
import Model
import StrictJSON

/// What an address itself says: lists that anybody may read, SCIM, and providers by their documents.
extension Discovery {
    /// All questions go to one host: the first that fails is the last.
    func directories(at url: URL) async -> Discovered {
        var found: [DiscoveredDirectory] = []
        let bases = scimBases(url)
        do throws(UpstreamError) {
            if let open = try await list(at: url) { found = [open] }
            let isOpen = !found.isEmpty
            if let signIn = try await provider(at: url) { found.append(signIn) }
            if !isOpen, let service = try await scim(at: bases) { found.insert(service, at: 0) }
        } catch {
            return Discovered(directories: found, complaints: [error.failure.reason])
        }
        guard found.isEmpty else { return Discovered(directories: found, complaints: []) }
        let places = bases.map { $0.appending(path: "ServiceProviderConfig").shown }
        let complaint =
            "\(url.shown) leads to no directory; it was asked for a list of users, SCIM at "
            + "\(places.joined(separator: ", ")), and a provider to sign in at, \(document(of: url).shown); "
            + "name the address of its list of users"
        return Discovered(directories: [], complaints: [complaint])
    }

    /// A list in a known format that anybody may read.
    private func list(at url: URL) async throws(UpstreamError) -> DiscoveredDirectory? {
        let response = try await answer(of: url)
        // Its description looks like a list of one.
        guard response.status == 200, !describesSCIM(response.body),
            let format = knownFormat(of: response.body)
        else { return nil }
        return .list(url, format)
    }

    /// The address itself, and the usual places at its host. One that ends in the name of an endpoint (RFC 7644, section 3.2),
    /// also in `User`, stands for what is above it.
    private func scimBases(_ url: URL) -> [URL] {
        let endpoints: Set = [
            "user", "users", "groups", "me", "schemas", "resourcetypes", "serviceproviderconfig",
        ]
        let isEndpoint = endpoints.contains(url.lastPathComponent.lowercased())
        let usual = ["/scim/v2", "/scim"].map(url.replacingPath)
        let base = isEndpoint ? url.deletingLastPathComponent() : url
        return [base] + usual.filter { $0.path != base.path }
    }

    /// The first place with a SCIM server's description of itself (RFC 7644, section 4), or else that asks for a token: many
    /// servers do even for that, with an error in SCIM's own content type.
    private func scim(at bases: [URL]) async throws(UpstreamError) -> DiscoveredDirectory? {
        var closed: DiscoveredDirectory?
        for base in bases {
            let users = base.appending(path: "Users")
            for address in [base.appending(path: "ServiceProviderConfig"), users] {
                let response = try await answer(of: address)
                if response.status == 200, describesSCIM(response.body) {
                    return .scim(users, .sure, because: "\(address.shown) describes it")
                }
                let type = response.headers["Content-Type"]?.lowercased() ?? ""
                guard [401, 403].contains(response.status), type.hasPrefix("application/scim+json")
                else { continue }
                let reason = "\(address.shown) asks for a token of SCIM"
                closed = closed ?? .scim(users, .likely, because: reason)
                break
            }
        }
        return closed
    }

    private func describesSCIM(_ body: [UInt8]) -> Bool {
        let schemas = (try? JSONValue(upstream: body))?["schemas"]?.elements
        return schemas?.contains { $0.string?.hasSuffix(":ServiceProviderConfig") == true } == true
    }

    private func document(of url: URL) -> URL { url.appending(path: ".well-known/openid-configuration") }

    /// OpenID Connect Discovery 1.0, section 4.
    private func provider(at url: URL) async throws(UpstreamError) -> DiscoveredDirectory? {
        guard let issuer = try await json(at: document(of: url)),
            let name = issuer["issuer"]?.string, let address = URL(httpAddress: name), address.keepsSecrets,
            HTTPOrigin(address) == HTTPOrigin(url),
            let page = issuer["authorization_endpoint"]?.string.flatMap(URL.init(httpAddress:))
        else { return nil }
        let realm = address.path.split(separator: "/realms/", maxSplits: 1, omittingEmptySubsequences: false)
        if realm.count == 2 {
            let users = address.replacingPath("\(realm[0])/admin/realms/\(realm[1])/users")
            return .provider("Keycloak", name, "keycloak", users)
        }
        if page.path.hasSuffix("/oauth2/v1/authorize") || page.path.contains("/oauth2/default/v1/") {
            return .provider("Okta", name, "okta", address.replacingPath("/api/v1/users"))
        }
        // Everybody who uses doorkeeper has its paths; the scope is GitLab's own.
        if issuer["scopes_supported"]?.elements?.contains(where: { $0.string == "read_api" }) == true {
            return .provider("GitLab", name, "gitlab", address.appending(path: "api/v4/users"))
        }
        return .provider(name)
    }
}

extension URL {
    fileprivate func replacingPath(_ path: some StringProtocol) -> URL {
        var parts = URLComponents(url: self, resolvingAgainstBaseURL: true)
        parts?.path = String(path)
        return parts?.url ?? self
    }
}
