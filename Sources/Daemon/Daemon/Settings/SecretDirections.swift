import Model
import Platform

/// The file of a secret of users, and the origin that the secret would go to.
struct SecretFile: Sendable, Equatable {
    let setting: String
    let path: SecretPath
    /// The setting with the address that the secret goes to.
    let target: String
    let origin: String
    /// Whether no setting names the file: it was found beside config.yaml.
    let isFound: Bool
    /// The origin in `<path>.origin`; nil without one.
    let written: String?

    /// Why the secret may not go there; nil if it may.
    func misdirection(firstUsedFor first: (SecretFile) -> String) -> String? {
        let own = written ?? (isFound ? first(self) : origin)
        guard own != origin else { return nil }
        let reason = written == nil ? "where it was first used" : "as \(path.visible).origin says"
        return """
            the secret in \(path.visible) is for \(own.visible), \(reason), and is not sent to \(origin.visible) \
            (\(target)); if it is for that address, write \(origin.visible) into \(path.visible).origin
            """
    }
}

extension SettingsLoader {
    /// The files of secrets, each with the origin that it is for.
    func secretFiles(_ found: Examined) -> [SecretFile] {
        let users = found.settings.users
        let client = users.oauth.tokenURL == nil ? "users.oauth.issuer" : "users.oauth.token_url"
        let all: [(Secret.Use, SecretPath?, target: String, address: String?)] = [
            (.token, users.tokenFile, "users.url", users.url),
            (.basic, users.basic.passwordFile, "users.url", users.url),
            (.password, users.passwordFile, "users.url", users.url),
            (
                .clientSecret, users.oauth.clientSecretFile, client,
                users.oauth.tokenURL ?? users.oauth.issuer ?? users.url
            ),
        ]
        return all.compactMap { use, path, target, address in
            // What is on standard input is for the address that is tried.
            guard let path, let address, path.content == nil else { return nil }
            let isFound = found.origins[use.rawValue] == .default
            if isFound, !isThere(path.text) { return nil }
            let written = (try? readFile(path.text + ".origin")).flatMap(writtenOrigin)
            return SecretFile(
                setting: use.rawValue, path: path, target: target, origin: addressOrigin(address),
                isFound: isFound, written: written)
        }
    }
}

/// A secret goes only to addresses that its own source, or a less important one, has set.
extension SettingsLoader.Examined {
    /// - Parameter order: the configuration files, from the most important.
    mutating func directSecrets(_ order: [String]) {
        guard !settings.hasStandIn else { return }
        let users = settings.users
        let hasHeader = users.headers?.all.contains { !Settings.Headers.areOpen($0.name) } == true
        let others = [hasHeader ? "users.headers" : nil, users.body.map { _ in "users.body" }]
        let reasons =
            settings.secretFiles.map { misdirection(of: $0.setting, $0, order) }
            + others.map { $0.flatMap { misdirection(of: $0, nil, order) } }
        settings.misdirection = reasons.compactMap(\.self).first
        if origins["users.query"] != .default {
            settings.queryMisdirection = misdirection(of: "users.query", nil, order)
        }
    }

    private func misdirection(of secret: String, _ file: SecretFile?, _ order: [String]) -> String? {
        // The file's owner says where it goes.
        if file?.written != nil { return nil }
        let origin = origins[secret] ?? .default
        let isFound = file?.isFound == true
        // A file beside config.yaml has the rank of that.
        let rank = isFound ? order.count : rank(origin, order)
        let targets = secret == "users.oauth.client_secret_file" ? Self.clientTargets : ["users.url"]
        guard let target = targets.first(where: { !isSet($0, atMost: rank, order) }) else { return nil }
        return """
            \(secret) (\(isFound ? "file \(file?.path.visible ?? "")" : origin.description)) is not sent to the address in \
            \(target) (\(origins[target] ?? .default)), because a more important source than its own has set that; set both in \
            the same place
            """
    }

    /// Whether a source of this rank or a lower one has set the address, or another of the same origin.
    private func isSet(_ target: String, atMost rank: Int, _ order: [String]) -> Bool {
        guard let values = given[target], let first = values.first else { return true }
        let origin = addressOrigin(first.text)
        return values.contains {
            self.rank($0.origin, order) <= rank && addressOrigin($0.text) == origin
        }
    }

    /// The higher, the more important.
    private func rank(_ origin: Origin, _ order: [String]) -> Int {
        switch origin {
        case .default: 0
        case .file(let path, _): order.count - (order.firstIndex(of: path) ?? order.count)
        case .recording, .environment: order.count + 1
        case .commandLine, .credential: order.count + 2
        }
    }

    private static let clientTargets = [
        "users.url", "users.oauth.issuer", "users.oauth.authorization_url", "users.oauth.token_url",
        "users.oauth.device_url", "users.oauth.revocation_url",
    ]
}
