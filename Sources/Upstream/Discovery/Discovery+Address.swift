import DirectoryFormats
import FoundationEssentials
import HTTP
import Model
import StrictJSON

/// What an address itself says: lists that anybody may read, SCIM, and providers by their documents.
extension Discovery {
    func directories(at url: URL) async -> Discovered {
        var found: [DiscoveredDirectory] = []
        var complaints: [String] = []
        func add(_ find: () async throws(UpstreamError) -> DiscoveredDirectory?) async {
            do throws(UpstreamError) {
                if let directory = try await find() { found.append(directory) }
            } catch  where !complaints.contains(error.failure.reason) {
                complaints.append(error.failure.reason)
            } catch {}
        }
        await add { () async throws(UpstreamError) in try await list(at: url) }
        // A host that does not answer is asked once.
        guard complaints.isEmpty else { return Discovered(directories: [], complaints: complaints) }
        if found.isEmpty { await add { () async throws(UpstreamError) in try await scim(at: url) } }
        await add { () async throws(UpstreamError) in try await provider(at: url) }
        return Discovered(directories: found, complaints: complaints)
    }

    /// A list in a known format that anybody may read.
    private func list(at url: URL) async throws(UpstreamError) -> DiscoveredDirectory? {
        let response = try await answer(of: url)
        guard response.status == 200, let format = knownFormat(of: response.body) else { return nil }
        return .list(url, format)
    }

    /// A SCIM server's description of itself (RFC 7644, section 4). Many servers ask for a token even for that, with an error in
    /// SCIM's own content type.
    private func scim(at url: URL) async throws(UpstreamError) -> DiscoveredDirectory? {
        let base = url.lastPathComponent == "Users" ? url.deletingLastPathComponent() : url
        let users = base.appending(path: "Users")
        for address in [base.appending(path: "ServiceProviderConfig"), users] {
            let response = try await answer(of: address)
            if response.status == 200, describesSCIM(response.body) {
                return .scim(users, .sure, because: "\(address.shown) describes it")
            }
            let type = response.headers["Content-Type"]?.lowercased() ?? ""
            if [401, 403].contains(response.status), type.hasPrefix("application/scim+json") {
                return .scim(users, .likely, because: "\(address.shown) asks for a token of SCIM")
            }
        }
        return nil
    }

    private func describesSCIM(_ body: [UInt8]) -> Bool {
        let schemas = (try? JSONValue(upstream: body))?["schemas"]?.elements
        return schemas?.contains { $0.string?.hasSuffix(":ServiceProviderConfig") == true } == true
    }

    /// OpenID Connect Discovery 1.0, section 4.
    private func provider(at url: URL) async throws(UpstreamError) -> DiscoveredDirectory? {
        guard let issuer = try await json(at: url.appending(path: ".well-known/openid-configuration")),
            let name = issuer["issuer"]?.string, let address = URL(httpAddress: name), address.keepsSecrets,
            HTTPOrigin(address) == HTTPOrigin(url),
            let page = issuer["authorization_endpoint"]?.string.flatMap(URL.init(httpAddress:))
        else { return nil }
        let realm = address.path.split(separator: "/realms/", maxSplits: 1, omittingEmptySubsequences: false)
        if realm.count == 2 {
            let users = address.replacingPath("\(realm[0])/admin/realms/\(realm[1])/users")
            return .provider("Keycloak", name, "keycloak", users, "openid profile offline_access")
        }
        if page.path.hasSuffix("/oauth2/v1/authorize") || page.path.contains("/oauth2/default/v1/") {
            return .provider(
                "Okta", name, "okta", address.replacingPath("/api/v1/users"),
                "openid profile offline_access okta.users.read")
        }
        // Everybody who uses doorkeeper has its paths; the scope is GitLab's own.
        if issuer["scopes_supported"]?.elements?.contains(where: { $0.string == "read_api" }) == true {
            return .provider(
                "GitLab", name, "gitlab", address.appending(path: "api/v4/users"), "openid profile read_api")
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
