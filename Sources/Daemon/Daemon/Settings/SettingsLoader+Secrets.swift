import Platform

/// Finds secrets, and checks the settings of authentication.
extension SettingsLoader {
    /// Finds the files of secrets that no setting names: among the service manager's credentials, else beside
    /// config.yaml.
    func takeSecretFiles(in folder: String?, _ found: inout Examined) {
        /// - Parameters:
        ///   - unused: the reason if no upstream would get the secret.
        ///   - isNeeded: takes the file even if it is missing.
        func take(_ use: Secret.Use, unused: String?, isNeeded: Bool = true) {
            guard found.origins[use.rawValue] == .default, let file = use.file,
                let name = SecretKind(rawValue: use.rawValue)?.file
            else { return }
            if let path = credential(name) {
                if let unused {
                    return found.warnings.append("the credential \(name) is not used: \(unused)")
                }
                found.settings[keyPath: file] = SecretPath(path)
                found.origins[use.rawValue] = .credential(name: name)
            } else if unused == nil, let path = folder.map({ "\($0)/\(name)" }), isNeeded || isThere(path) {
                found.settings[keyPath: file] = SecretPath(path)
            }
        }
        let users = found.settings.users
        // The token belongs to the configured URL; without one it would go to the demo upstream.
        let noToken: String? =
            if found.origins["users.url"] == .default {
                "users.url is not set, and the token is not for \(users.url)"
            } else if let setting = users.oauth.setting ?? users.basicSetting {
                "\(setting) is set"
            } else if users.headers?["Authorization"] != nil {
                "users.headers has Authorization"
            } else {
                users.format == "ldap" ? "users.format is ldap" : nil
            }
        take(.token, unused: noToken, isNeeded: false)
        take(
            .clientSecret,
            unused: users.oauth.grantInForce == nil ? "users.oauth.token_url is not set" : nil,
            isNeeded: users.oauth.grantInForce == .clientCredentials)
        if users.basic.user != nil {
            take(.basic, unused: nil)
        } else {
            take(.password, unused: users.bindDN == nil ? "users.bind_dn is not set" : nil)
        }
    }

    /// The path of a credential from the service manager; nil if the file is missing or blank.
    private func credential(_ name: String) -> String? {
        guard let directory = environment["CREDENTIALS_DIRECTORY"], directory.hasPrefix("/") else {
            return nil
        }
        let path = directory + "/" + name
        let isBlank =
            (try? readFile(path))?.withoutByteOrderMark.allSatisfy { " \t\r\n".utf8.contains($0) } == true
        return isThere(path) && !isBlank ? path : nil
    }

    /// Also true for a file that can't be read: the sync reports why.
    func isThere(_ path: String) -> Bool {
        do { return try readFile(path) != nil } catch { return true }
    }

    /// A file that can't be read is not an error: it may be readable when it is needed.
    func secretWarnings(_ settings: Settings) -> [String] {
        settings.secretPaths.flatMap { use, path in
            do throws(SettingsError) { return try Secret.read(use, fromFile: path).warnings } catch {
                return [error.description]
            }
        }
    }
}

extension Settings {
    var secretPaths: [(use: Secret.Use, path: SecretPath)] {
        let named: [(Secret.Use, SecretPath?)] = Secret.Use.allCases.map { use in
            (use, use.file.flatMap { self[keyPath: $0] })
        }
        let others: [(Secret.Use, SecretPath?)] =
            [(.addressBook, carddav.port.flatMap { _ in carddav.passwordFile })]
            + (users.headers?.files ?? []).map { (.header, $0) }
        return (named + others).compactMap { use, path in path.map { (use, $0) } }
    }

    /// Texts that stand in place of a secret's path, as messages of userd 0.3.0 quote them.
    var pastedTexts: [String] {
        secretPaths.filter { !$0.path.isShown }.flatMap { _, path in
            // A short text is in other messages, too.
            let beginning = String(path.text.prefix(100))
            return (beginning.utf8.count < 6 ? [] : [beginning]) + [beginning.quoted]
        }
    }

    /// The token belongs to the configured URL; without one it would go to the demo upstream.
    func tokenMistakes(_ isGiven: (_ setting: String) -> Bool) -> [SettingMistake] {
        let names = [
            ("users.token_file", "the token", users.tokenFile != nil),
            (users.oauth.setting ?? "", "the token", users.oauth.setting != nil),
            (users.basicSetting ?? "", "the password", users.basicSetting != nil),
            ("users.headers", "they", users.headers != nil),
            ("users.body", "it", users.body != nil),
        ]
        guard !isGiven("users.url"), !hasStandIn, let (name, what, _) = names.first(where: \.2) else {
            return []
        }
        return [SettingMistake(name, "also needs users.url, since \(what) would go to \(users.url)")]
    }

    /// Mistakes in the settings of authentication: they must describe one way completely.
    var signInMistakes: [SettingMistake] {
        let (oauth, basic) = (users.oauth, users.basic)
        let client = oauth.anySetting
        var mistakes = oauth.mistakes
        if basic.user != nil, basic.passwordFile == nil {
            mistakes.append(SettingMistake("users.basic.user", "also needs users.basic.password_file"))
        }
        let ways = [
            users.tokenFile.map { _ in "users.token_file" }, client, users.basicSetting,
            users.headers?["Authorization"].map { _ in "users.headers" },
        ].compactMap(\.self)
        return mistakes
            + ways.dropFirst().map {
                SettingMistake($0, "conflicts with \(ways[0]), which is set too; remove one of them")
            }
    }
}

extension Settings.Users {
    /// The setting that turns on authentication by user name and password; nil if it is off.
    var basicSetting: String? {
        if basic.user != nil { return "users.basic.user" }
        return basic.passwordFile.map { _ in "users.basic.password_file" }
    }
}

extension SettingsLoader.Examined {
    /// Warns if no format is set and `users.url` does not look like randomuser.me's.
    mutating func warnAboutFormat() {
        let (url, format) = (settings.users.url, settings.users.format)
        let path = url.split(separator: "/", maxSplits: 2).dropFirst(2).first ?? ""
        guard origins["users.url"] != .default, origins["users.format"] == .default, !settings.hasStandIn,
            url.lowercased().hasPrefix("http"), !["", "api", "api/"].contains(path.prefix { $0 != "?" })
        else { return }
        warnings.append(
            "users.format is not set, so userd reads users.url as \(format); set it to the format of that address"
        )
    }
}
