import FoundationEssentials
import HTTP
import Logging
import Model
import Upstream

extension OAuthClient {
    /// A client with the settings of `users.oauth`, for people who sign in and for userd's own tokens.
    init(_ settings: Settings, logger: Logger) throws {
        let oauth = settings.users.oauth
        let endpoints: [Endpoint: String?] = [
            .authorization: oauth.authorizationURL, .token: oauth.tokenURL, .device: oauth.deviceURL,
            .revocation: oauth.revocationURL,
        ]
        self.init(
            issuer: oauth.issuer,
            identity: ClientIdentity(
                id: oauth.clientID ?? "",
                secret: oauth.clientSecretFile.map { Secret.reader(.clientSecret, $0, logger) },
                method: oauth.auth, isBuiltIn: oauth.hasBuiltInClient),
            scope: oauth.scope, parameters: oauth.parameters?.all.map { ($0.name, $0.value) } ?? [],
            endpoints: try endpoints.compactMapValues { $0 }.mapValues(url),
            redirect: oauth.redirect.flatMap { RedirectAddress($0) } ?? .standard,
            scheme: oauth.signsIn ? nil : settings.users.tokenScheme,
            resource: URL(httpAddress: settings.users.url),
            interval: settings.users.usualInterval)
    }
}

extension SignInService {
    /// If the settings do not let people sign in, only to sign out of what earlier settings named.
    ///
    /// - Parameters:
    ///   - transport: sends requests to the provider.
    ///   - unsaved: of all settings that this process has had.
    ///   - redactor: learns all secrets.
    init?(
        _ settings: Settings, _ client: OAuthClient, transport: HTTPTransport, unsaved: UnsavedTokens,
        redactor: SecretRedactor, now: @escaping @Sendable () -> Timestamp
    ) throws {
        let oauth = settings.users.oauth
        if settings.tokenFolder == nil, !oauth.signsIn { return nil }
        guard let folder = settings.tokenFolder else {
            throw ExitError(
                description: "there is no folder for tokens without a home directory; set XDG_STATE_HOME")
        }
        let started = ContinuousClock.now
        self = .live(
            client, usualGrant: oauth.grantInForce == .device ? .device : .browser, transport: transport,
            store: .file(in: folder), unsaved: unsaved, redactor: redactor,
            environment: SignInEnvironment(
                now: now, monotonic: { ContinuousClock.now - started },
                sleep: { try await Task.sleep(for: $0) })
        )
        canSignIn = oauth.signsIn
    }
}

extension UnsavedTokens {
    /// Waits until new tokens are on the disk, for 8 of the 10 s that systemd gives a stop.
    func settleAtEnd() async {
        _ = try? await within(.seconds(8), { try await Task.sleep(for: $0) }) { await self.settle() }
    }
}
