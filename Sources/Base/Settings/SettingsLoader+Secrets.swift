/// Files with what proves who userd is, and whom it trusts.
extension SettingsLoader {
    /// Names the files that the service manager has put there, where no setting names others.
    func takeCredentials(
        _ settings: inout Settings, _ origins: inout [String: Origin], _ warnings: inout [String]
    ) {
        if origins["users.token_file"] == .default, let path = credential(Self.token) {
            // Whose token it is only the address tells: that of everybody's example is nobody's.
            if origins["users.url"] == .default {
                warnings.append(
                    "the credential \(Self.token) is not used: users.url is not set, and the token is not for \(settings.users.url)"
                )
            } else {
                settings.users.tokenFile = path
                origins["users.token_file"] = .credential(name: Self.token)
            }
        }
        if origins["users.oauth.client_secret_file"] == .default, let path = credential(Self.clientSecret) {
            if settings.users.oauth.tokenURL == nil {
                warnings.append(
                    "the credential \(Self.clientSecret) is not used: users.oauth.token_url is not set")
            } else {
                settings.users.oauth.clientSecretFile = path
                origins["users.oauth.client_secret_file"] = .credential(name: Self.clientSecret)
            }
        }
        if origins["users.password_file"] == .default, let path = credential(Self.password) {
            if settings.users.bindDN == nil {
                warnings.append("the credential \(Self.password) is not used: users.bind_dn is not set")
            } else {
                settings.users.passwordFile = path
                origins["users.password_file"] = .credential(name: Self.password)
            }
        }
    }

    private static let token = "users-token"
    private static let clientSecret = "users-client-secret"
    private static let password = "users-password"

    /// A file among the credentials that the service manager has put there; nil where it is not, or is blank as in
    /// userd.service, whose credentials would have to be there otherwise.
    private func credential(_ name: String) -> String? {
        guard let directory = environment["CREDENTIALS_DIRECTORY"], directory.hasPrefix("/") else {
            return nil
        }
        let path = directory + "/" + name
        // One that can't be read is there nevertheless: the sync says why.
        do {
            guard let bytes = try readFile(path) else { return nil }
            return bytes.allSatisfy { " \t\r\n".utf8.contains($0) } ? nil : path
        } catch {
            return path
        }
    }

    /// What the environment says of proxies, where the settings say nothing.
    func takeProxies(_ settings: inout Settings) throws(SettingsError) {
        settings.proxyVariables =
            settings.http.proxy == nil && !settings.hasStandIn
            ? try ProxyVariables(environment) : ProxyVariables(noProxyOf: environment)
    }

    /// A file that can't be read is no mistake of the settings: it may be there when it is needed.
    func secretWarnings(_ loaded: LoadedSettings) -> [String] {
        let users = loaded.settings.users
        let files: [(Secret.Use, String?)] = [
            (.token, users.tokenFile), (.clientSecret, users.oauth.clientSecretFile),
            (.password, users.passwordFile),
        ]
        return files.flatMap { use, path in
            guard let path else { return [String]() }
            do throws(SettingsError) { return try Secret.read(use, fromFile: path).warnings } catch {
                return [error.description]
            }
        }
    }
}

extension Settings {
    /// What is wrong with `users.oauth`.
    package var oauthMistakes: [SettingMistake] {
        let oauth = self.users.oauth
        let needed = [
            ("users.oauth.token_url", oauth.tokenURL), ("users.oauth.client_id", oauth.clientID),
            ("users.oauth.client_secret_file", oauth.clientSecretFile),
        ]
        let given = (needed + [("users.oauth.scope", oauth.scope)]).first { $0.1 != nil }
        guard let (name, _) = given else { return [] }
        var mistakes = needed.filter { $0.1 == nil }.map { missing, _ in
            let credential =
                missing == "users.oauth.client_secret_file" ? ", or the credential users-client-secret" : ""
            return SettingMistake(name, "needs \(missing) beside it\(credential)")
        }
        if self.users.tokenFile != nil {
            mistakes.append(
                SettingMistake(
                    name, "excludes users.token_file, which is set too; leave out one of them"))
        }
        return mistakes
    }
}
