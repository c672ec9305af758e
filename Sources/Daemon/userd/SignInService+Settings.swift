import DaemonMethods
import FoundationEssentials
import HTTP
import Logging
import Model
import Settings
import SignIn

extension SignInService {
    /// If the settings do not let people sign in, only to sign out of what earlier settings named.
    ///
    /// - Parameters:
    ///   - transport: sends requests to the provider.
    ///   - unsaved: of all settings that this process has had.
    ///   - redactor: learns all secrets.
    init?(
        _ settings: Settings, transport: HTTPTransport, unsaved: UnsavedTokens, redactor: SecretRedactor,
        now: @escaping @Sendable () -> Timestamp, logger: Logger
    ) throws {
        let oauth = settings.users.oauth
        if settings.tokenFolder == nil, !oauth.signsIn { return nil }
        guard let folder = settings.tokenFolder else {
            throw ExitError(
                description: "there is no folder for tokens without a home directory; set XDG_STATE_HOME")
        }
        let secret = oauth.clientSecretFile.map { Secret.reader(.clientSecret, $0, logger) }
        let endpoints: [OAuthClient.Endpoint: String?] = [
            .authorization: oauth.authorizationURL, .token: oauth.tokenURL, .device: oauth.deviceURL,
            .revocation: oauth.revocationURL,
        ]
        // Without signing in, it may be a directory over LDAP.
        let resource =
            try oauth.signsIn
            ? url(settings.users.url) : URL(string: settings.users.url) ?? URL(filePath: "/")
        let client = OAuthClient(
            issuer: oauth.issuer,
            identity: ClientIdentity(
                id: oauth.signsIn ? oauth.clientID ?? "" : "", secret: secret,
                method: oauth.auth == .basic ? .basic : .post),
            scope: oauth.scope, parameters: oauth.parameterList,
            endpoints: try endpoints.compactMapValues { $0 }.mapValues(url),
            redirect: oauth.redirect.flatMap { RedirectAddress($0) } ?? .standard,
            resource: resource, interval: settings.users.interval)
        let started = ContinuousClock.now
        self = .live(
            client, usualWay: oauth.way == .device ? .device : .browser, transport: transport,
            store: .file(in: folder), unsaved: unsaved, redactor: redactor,
            environment: SignInEnvironment(
                now: now, monotonic: { ContinuousClock.now - started },
                sleep: { try await Task.sleep(for: $0) })
        )
    }
}

extension Settings.OAuth {
    var parameterList: [(String, String)] { parameters?.all.map { ($0.name, $0.value) } ?? [] }
}
