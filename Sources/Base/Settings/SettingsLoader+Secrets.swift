/// Files with what proves who userd is, and whom it trusts.
extension SettingsLoader {
    /// Names the files that no setting names: those among the service manager's credentials, else those beside config.yaml.
    /// - Parameter folder: of config.yaml.
    func takeSecretFiles(
        in folder: String?, _ settings: inout Settings, _ origins: inout [String: Origin],
        _ warnings: inout [String]
    ) {
        /// - Parameters:
        ///   - unused: why it would be nobody's.
        ///   - isNeeded: also where it is not there yet.
        func take(
            _ use: Secret.Use, _ name: String, _ file: WritableKeyPath<Settings, String?>, unused: String?,
            isNeeded: Bool
        ) {
            guard origins[use.rawValue] == .default else { return }
            if let path = credential(name) {
                if let unused { return warnings.append("the credential \(name) is not used: \(unused)") }
                settings[keyPath: file] = path
                origins[use.rawValue] = .credential(name: name)
            } else if unused == nil, let path = folder.map({ "\($0)/\(name)" }), isNeeded || isThere(path) {
                settings[keyPath: file] = path
            }
        }
        let users = settings.users
        // Whose token it is only the address tells: that of everybody's example is nobody's.
        let noToken: String? =
            if origins["users.url"] == .default {
                "users.url is not set, and the token is not for \(users.url)"
            } else if users.oauth.tokenURL != nil {
                "users.oauth.token_url is set"
            } else {
                users.format == "ldap" ? "users.format is ldap" : nil
            }
        take(.token, "users-token", \.users.tokenFile, unused: noToken, isNeeded: false)
        take(
            .clientSecret, "users-client-secret", \.users.oauth.clientSecretFile,
            unused: users.oauth.tokenURL == nil ? "users.oauth.token_url is not set" : nil, isNeeded: true)
        take(
            .password, "users-password", \.users.passwordFile,
            unused: users.bindDN == nil ? "users.bind_dn is not set" : nil, isNeeded: true)
    }

    /// A file among the credentials that the service manager has put there; nil where it is not, or is blank, as one is that
    /// stands for none.
    private func credential(_ name: String) -> String? {
        guard let directory = environment["CREDENTIALS_DIRECTORY"], directory.hasPrefix("/") else {
            return nil
        }
        let path = directory + "/" + name
        let isBlank = (try? readFile(path))?.allSatisfy { " \t\r\n".utf8.contains($0) } == true
        return isThere(path) && !isBlank ? path : nil
    }

    /// One that can't be read is there nevertheless: the sync says why.
    private func isThere(_ path: String) -> Bool {
        do { return try readFile(path) != nil } catch { return true }
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
    /// Whose a token is only the address tells: that of everybody's example is nobody's.
    package func tokenMistakes(_ isGiven: (_ setting: String) -> Bool) -> [SettingMistake] {
        let names = [
            ("users.token_file", self.users.tokenFile), ("users.oauth.token_url", self.users.oauth.tokenURL),
        ]
        guard !isGiven("users.url"), !self.hasStandIn, let (name, _) = names.first(where: { $0.1 != nil })
        else { return [] }
        return [
            SettingMistake(name, "needs users.url beside it: the token would go to \(self.users.url)")
        ]
    }

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
            SettingMistake(name, "needs \(missing) beside it")
        }
        if self.users.tokenFile != nil {
            mistakes.append(
                SettingMistake(
                    name, "excludes users.token_file, which is set too; leave out one of them"))
        }
        return mistakes
    }
}

extension Settings {
    /// Told where the address is none of randomuser.me's kind.
    func formatWarnings(_ origins: [String: Origin]) -> [String] {
        let path = self.users.url.split(separator: "/", maxSplits: 2).dropFirst(2).first ?? ""
        guard origins["users.url"] != .default, origins["users.format"] == .default, !self.hasStandIn,
            self.users.url.lowercased().hasPrefix("http"),
            !["", "api", "api/"].contains(path.prefix { $0 != "?" })
        else { return [] }
        return [
            "users.format is not set, so users.url is asked as \(self.users.format); set it to what that speaks"
        ]
    }
}
