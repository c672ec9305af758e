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
    }

    private static let token = "users-token"
    private static let clientSecret = "users-client-secret"

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

    /// What is wrong with proxies, authorities and `users.oauth`.
    func connectionMistakes(_ settings: inout Settings, _ origins: [String: Origin]) -> [SettingsError] {
        func mistake(_ name: String, _ reason: String) -> SettingsError {
            let origin = origins[name] ?? .default
            return SettingsError(
                Setting.named[name].map(origin.spelling) ?? name, reason, line: origin.line)
        }
        var mistakes: [SettingsError] = []
        if !settings.hasStandIn, settings.http.proxy == nil {
            do throws(SettingsError) {
                settings.proxyVariables = try ProxyVariables(environment)
            } catch {
                mistakes.append(error)
            }
        } else {
            settings.proxyVariables = ProxyVariables(noProxyOf: environment)
        }
        if !settings.hasStandIn, let path = settings.http.caFile, let problem = problem(ofAuthorities: path) {
            mistakes.append(mistake("http.ca_file", problem))
        }
        let oauth = settings.users.oauth
        let given = [
            ("users.oauth.token_url", oauth.tokenURL), ("users.oauth.client_id", oauth.clientID),
            ("users.oauth.client_secret_file", oauth.clientSecretFile),
        ]
        guard
            let first = given.first(where: { $0.1 != nil }) ?? oauth.scope.map({ ("users.oauth.scope", $0) })
        else { return mistakes }
        for (name, value) in given where value == nil {
            let credential =
                name == "users.oauth.client_secret_file" ? " (or the credential \(Self.clientSecret))" : ""
            mistakes.append(mistake(first.0, "needs \(name) beside it\(credential)"))
        }
        if settings.users.tokenFile != nil {
            let origin = origins["users.token_file"] ?? .default
            mistakes.append(
                mistake(
                    first.0, "excludes users.token_file, which is set too (\(origin)); leave out one of them")
            )
        }
        return mistakes
    }

    private func problem(ofAuthorities path: String) -> String? {
        do {
            guard let bytes = try readFile(path) else { return "there is no file \(path.excerpt)" }
            let text = String(decoding: bytes, as: UTF8.self)
            return text.contains("-----BEGIN CERTIFICATE-----")
                ? nil : "\(path.excerpt) holds no certificate in PEM"
        } catch let error as SettingsError {
            return error.description
        } catch {
            return "\(path.excerpt) cannot be read: \(error)"
        }
    }

    /// A file that can't be read is no mistake of the settings: it may be there when it is needed.
    func secretWarnings(_ loaded: LoadedSettings) -> [String] {
        let users = loaded.settings.users
        let files: [(Secret.Use, String?)] = [
            (.token, users.tokenFile), (.clientSecret, users.oauth.clientSecretFile),
        ]
        return files.flatMap { use, path in
            guard let path else { return [String]() }
            do throws(SettingsError) { return try Secret.read(use, fromFile: path).warnings } catch {
                return [error.description]
            }
        }
    }
}
