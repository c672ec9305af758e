import Platform
import Upstream

extension Settings {
    /// Tokens from an authorization server: userd's own, or those of a person who signs in.
    struct OAuth: Sendable {
        var issuer: String?
        var clientID: String?
        /// Whether `clientID` is the one that comes with userd.
        var hasBuiltInClient = false
        /// Nil for the default.
        var grant: Grant?
        var scope: String?
        var parameters: Parameters?
        var redirect: String?
        var authorizationURL: String?
        var tokenURL: String?
        var deviceURL: String?
        var revocationURL: String?
        var clientSecretFile: SecretPath?
        var auth = ClientIdentity.Method.basic
    }

    enum Grant: String, Sendable, CaseIterable {
        /// A person signs in: with a browser on this machine (RFC 8252), or with a code (RFC 8628).
        case browser, device
        /// userd itself (RFC 6749, section 4.4).
        case clientCredentials = "client_credentials"
    }

    /// Further parameters of requests to the authorization server.
    struct Parameters: Sendable {
        /// An empty value is one that userd would send, and does not.
        let all: [(name: String, value: String)]

        /// The parameters as YAML.
        func written(_ text: (String) -> String) -> String {
            let each = all.map { "\($0.name.quoted): \($0.value.isEmpty ? "null" : text($0.value))" }
            return "{\(each.joined(separator: ", "))}"
        }
    }
}

extension Settings.OAuth {
    /// Nil if there is no authorization server.
    var grantInForce: Settings.Grant? {
        grant ?? (issuer != nil ? .browser : tokenURL != nil ? .clientCredentials : nil)
    }

    var signsIn: Bool { grantInForce == .browser || grantInForce == .device }

    /// The setting that names the authorization server.
    var setting: String? {
        if issuer != nil { return "users.oauth.issuer" }
        if tokenURL != nil { return "users.oauth.token_url" }
        return grant.map { _ in "users.oauth.grant" }
    }

    /// The first that is set of the settings that have a meaning only with others.
    var anySetting: String? {
        let others = [
            ("users.oauth.client_id", clientID != nil),
            ("users.oauth.client_secret_file", clientSecretFile != nil), ("users.oauth.scope", scope != nil),
            ("users.oauth.parameters", parameters != nil), ("users.oauth.redirect", redirect != nil),
            ("users.oauth.authorization_url", authorizationURL != nil),
            ("users.oauth.device_url", deviceURL != nil),
            ("users.oauth.revocation_url", revocationURL != nil),
        ]
        return setting ?? others.first(where: \.1)?.0
    }

    /// Takes the client id that comes with userd, if the settings name none and a person signs in where it is registered.
    mutating func takeClientID(of format: DirectoryFormat?) {
        guard clientID == nil, signsIn, let id = format?.clientID(at: issuer) else { return }
        (clientID, hasBuiltInClient) = (id, true)
    }

    /// Settings that lack others.
    var mistakes: [SettingMistake] {
        guard let first = anySetting else { return [] }
        if hasBuiltInClient, grant == .device {
            return [
                SettingMistake(
                    "users.oauth.grant",
                    "is device, which also needs users.oauth.client_id: the one that comes with userd uses no device codes"
                )
            ]
        }
        var needed = [("users.oauth.client_id", clientID)]
        switch grantInForce {
        case .clientCredentials, nil:
            // Without a way, people are told of the oldest one, which needs most.
            needed.insert(("users.oauth.token_url", tokenURL), at: 0)
            needed.append(("users.oauth.client_secret_file", clientSecretFile?.text))
        case .browser where issuer == nil:
            needed += [
                ("users.oauth.authorization_url", authorizationURL), ("users.oauth.token_url", tokenURL),
            ]
        case .device where issuer == nil:
            needed += [("users.oauth.device_url", deviceURL), ("users.oauth.token_url", tokenURL)]
        case .browser, .device: break
        }
        return needed.filter { $0.1 == nil }.map { SettingMistake(first, "also needs \($0.0)") }
    }
}

extension Setting {
    static let oauth: [Setting] = [
        Setting(
            "users.oauth.issuer", \.users.oauth.issuer, .optionalURL,
            "The provider to sign in at, as its own document spells it; the document names the endpoints"),
        Setting(
            "users.oauth.grant", \.users.oauth.grant, .grant,
            default: "browser if users.oauth.issuer is set, client_credentials if only token_url is",
            "Who gets tokens: a person, by a browser or a code (device), or userd itself"),
        Setting(
            "users.oauth.client_id", \.users.oauth.clientID, .optionalText,
            "The id under which userd is registered there"),
        Setting(
            "users.oauth.client_secret_file", \.users.oauth.clientSecretFile, .secretFile,
            default: "users-client-secret beside config.yaml, if users.oauth.token_url is set",
            "The file with the secret of users.oauth.client_id"),
        Setting(
            "users.oauth.scope", \.users.oauth.scope, .optionalText,
            "The scope to request, such as openid offline_access User.ReadBasic.All"),
        Setting(
            "users.oauth.parameters", \.users.oauth.parameters, .parameters, default: "none",
            "Further parameters of requests to the provider, such as audience"),
        Setting(
            "users.oauth.redirect", \.users.oauth.redirect, .loopbackURL,
            default: "http://127.0.0.1/callback, with a free port",
            "The address of this machine to which the provider sends the browser back, as it is registered"),
        Setting(
            "users.oauth.authorization_url", \.users.oauth.authorizationURL, .optionalURL,
            "The page for people who sign in, unless the provider's document names it"),
        Setting(
            "users.oauth.token_url", \.users.oauth.tokenURL, .optionalURL,
            "The endpoint that issues tokens for users.url, instead of users.token_file"),
        Setting(
            "users.oauth.device_url", \.users.oauth.deviceURL, .optionalURL,
            "The endpoint for device codes, unless the provider's document names it"),
        Setting(
            "users.oauth.revocation_url", \.users.oauth.revocationURL, .optionalURL,
            "The endpoint that revokes tokens, unless the provider's document names it"),
        Setting(
            "users.oauth.auth", \.users.oauth.auth, .word(),
            "Where to send id and secret: in the header Authorization (basic) or in the body (post)"),
    ]
}
