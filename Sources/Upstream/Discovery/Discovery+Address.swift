import DirectoryFormats
import FoundationEssentials
import HTTP
import Model
import StrictJSON

/// What an address itself says: lists that anybody may read, SCIM, and providers by their documents.
extension Discovery {
    func directories(at url: URL) async -> Discovered {
        let open: DiscoveredDirectory?
        // A host that does not answer, or has a wrong certificate, is asked once.
        do throws(UpstreamError) { open = try await list(at: url) } catch {
            return Discovered(directories: [], complaints: [error.failure.reason])
        }
        let bases = open == nil ? scimBases(url) : []
        async let service = scim(at: bases)
        async let signIn = asked { () async throws(UpstreamError) in try await provider(at: url) }
        let answers = [await service, await signIn]
        let found = ([open] + answers.map(\.directory)).compactMap(\.self)
        var complaints = answers.compactMap(\.complaint)
        if complaints.count == 2, complaints[0] == complaints[1] { complaints.removeLast() }
        if found.isEmpty, complaints.isEmpty {
            let places = bases.map { $0.appending(path: "ServiceProviderConfig").shown }
            complaints.append(
                "\(url.shown) leads to no directory; it was asked for a list of users, SCIM at "
                    + "\(places.joined(separator: ", ")), and a provider to sign in at, "
                    + document(of: url).shown)
        }
        return Discovered(directories: found, complaints: complaints)
    }

    private typealias Answered = (directory: DiscoveredDirectory?, complaint: String?)

    private func asked(
        _ find: () async throws(UpstreamError) -> DiscoveredDirectory?
    ) async -> Answered {
        do throws(UpstreamError) { return (try await find(), nil) } catch {
            return (nil, error.failure.reason)
        }
    }

    /// The first of the addresses below which there is SCIM.
    private func scim(at bases: [URL]) async -> Answered {
        await withTaskGroup(of: (Int, Answered).self) { group in
            for (place, base) in bases.enumerated() {
                group.addTask {
                    (place, await asked { () async throws(UpstreamError) in try await scim(at: base) })
                }
            }
            let answers = await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
            let ordered = bases.indices.compactMap { answers[$0] }
            return ordered.first { $0.directory?.certainty == .sure } ?? ordered.first { $0.directory != nil }
                ?? ordered.first { $0.complaint != nil } ?? (nil, nil)
        }
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

    /// A SCIM server's description of itself (RFC 7644, section 4). Many servers ask for a token even for that, with an error in
    /// SCIM's own content type.
    private func scim(at base: URL) async throws(UpstreamError) -> DiscoveredDirectory? {
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
