import Glibc
import Model
import Platform
import YAML

/// The users' settings in config.yaml as they are, and as they will be; or the demo.
struct ConnectPlan {
    let before: Configuration
    /// The files that name this directory already, config.yaml first; none if it is another one.
    let known: [Configuration]
    var settings: [DiscoveredSetting]
    /// The secret that one of them names the file of.
    var secret: GivenSecret?

    /// They say how a directory is kept, not where it is.
    private static let kept: Set = ["users.interval", "users.omit", "users.removal_guard"]

    /// The settings of another directory, which are replaced.
    var replaced: [String] {
        known.isEmpty ? before.names(in: "users").filter { !Self.kept.contains($0) } : []
    }

    /// The settings that are written.
    var added: [DiscoveredSetting] { settings.filter { setting in !known.contains { $0.has(setting) } } }

    func text(_ name: String) -> String? { settings.value(of: name) ?? known.text(name) }

    var isDemo: Bool { settings.value(of: "demo") != nil }
    var isSignIn: Bool { text("users.oauth.issuer") != nil }
    var isByTicket: Bool { text("users.sasl") != nil }

    /// Whoever replaces a directory has agreed to lose its users.
    var consent: [String] { replaced.isEmpty ? [] : ["--accept-removals"] }

    func edit(_ file: Configuration) throws(YAMLError) -> Configuration {
        var edited = isDemo ? file : try file.removing("demo")
        for name in replaced { edited = try edited.removing(name) }
        return try edited.setting(added.map { ($0.name, $0.yaml) })
    }
}

extension [Configuration] {
    func text(_ name: String) -> String? { lazy.compactMap { $0.text(name) }.first }
}

/// An address without what may be secret.
func shownAddress(_ address: String) -> String {
    let parts = address.prefix { $0 != "?" }.split(separator: "@", maxSplits: 1)
    guard parts.count == 2, let scheme = parts[0].firstRange(of: "://") else {
        return String(address.prefix { $0 != "?" })
    }
    return String(parts[0][..<scheme.upperBound] + parts[1])
}

extension Configuration {
    fileprivate func has(_ setting: DiscoveredSetting) -> Bool {
        let path = setting.name.split(separator: ".").map(String.init)
        let wanted = try? Configuration([]).setting([(setting.name, setting.yaml)]).values
        return values.filter { $0.key.starts(with: path) } == wanted
    }
}

extension DiscoveredDirectory {
    var isSignIn: Bool { settings.value(of: "users.oauth.issuer") != nil }

    fileprivate var isMicrosoft: Bool {
        settings.value(of: "users.oauth.issuer")?.hasPrefix(microsoftSignIn) == true
    }

    /// Whether the file names this directory, and no other.
    func isNamed(in file: Configuration) -> Bool {
        file.text("users.url") != nil && settings.allSatisfy(file.has)
    }

    /// The directory with what files say of it, in place of asking. Secrets stay to be asked for.
    /// - Parameters:
    ///   - folder: that of config.yaml.
    ///   - isGiven: whether there is a secret for it.
    func resumed(from files: [Configuration], folder: String, isGiven: Bool) -> DiscoveredDirectory {
        var directory = self
        for name in needed where SecretKind(rawValue: name) == nil {
            guard let value = files.text(name) else { continue }
            directory.needed.removeAll { $0 == name }
            directory.settings.append(DiscoveredSetting(name, value))
        }
        // Whoever signs in needs no token.
        if let issuer = files.text("users.oauth.issuer"), needed.contains("users.token_file") {
            directory.needed.removeAll { $0 == "users.token_file" }
            directory.settings.append(DiscoveredSetting("users.oauth.issuer", issuer))
        }
        let kind = SecretKind { directory.settings.value(of: $0) ?? files.text($0) }
        if directory.needed.isEmpty, let kind, isGiven || access(folder + "/" + kind.file, F_OK) == 0 {
            directory.needed = [kind.setting]
        }
        return directory
    }

    /// The directory that a configuration file names; nil if it names none.
    init?(in file: Configuration, path: String) {
        guard let url = file.text("users.url") else { return nil }
        let settings = file.names(in: "users").compactMap { name in
            file.text(name).map { DiscoveredSetting(name, $0) }
        }
        self.init(
            name: shownAddress(url), certainty: .sure, because: "\(path) names it",
            settings: settings.filter { SecretKind(rawValue: $0.name) == nil },
            needed: settings.map(\.name).filter { SecretKind(rawValue: $0) != nil })
    }
}

extension [DiscoveredDirectory] {
    /// The directories with a client id where people sign in, in place of asking for it. Those of Microsoft are left out if it
    /// can't be one of theirs.
    func naming(client id: String) throws -> [DiscoveredDirectory] {
        guard contains(where: \.isSignIn) else { throw Self.nowhere("leave out --client-id") }
        let others = filter { !$0.isMicrosoft || isGUID(id) }
        guard others.contains(where: \.isSignIn) else {
            throw CommandError(
                "“\(id.shown(upTo: 60))” is no client id of Microsoft", .usage,
                advice: "it is 32 hexadecimal digits, such as 00000000-0000-0000-0000-000000000000",
                "the registration shows it as “Application (client) ID”")
        }
        return others.map { directory in
            guard directory.isSignIn else { return directory }
            var directory = directory
            directory.needed.removeAll { $0 == "users.oauth.client_id" }
            directory.settings.removeAll { $0.name == "users.oauth.client_id" }
            directory.settings.append(DiscoveredSetting("users.oauth.client_id", id))
            return directory
        }
    }

    /// The first directory where people sign in, with the client id that a file has for its provider.
    func signingIn(_ files: [Configuration]) throws -> DiscoveredDirectory {
        guard var directory = first(where: \.isSignIn) else {
            throw Self.nowhere(
                "--for-administrator is for Microsoft, Google, Okta, Keycloak, GitLab and the like")
        }
        let issuer = directory.settings.value(of: "users.oauth.issuer")
        if directory.settings.value(of: "users.oauth.client_id") == nil,
            let file = files.first(where: { $0.text("users.oauth.issuer") == issuer }),
            let id = file.text("users.oauth.client_id")
        {
            directory.settings.append(DiscoveredSetting("users.oauth.client_id", id))
        }
        return directory
    }

    private static func nowhere(_ advice: String) -> CommandError {
        CommandError("no directory was found where people sign in", .usage, advice: advice)
    }
}

/// Whether a text is 32 hexadecimal digits in groups of 8, 4, 4, 4 and 12.
private func isGUID(_ text: String) -> Bool {
    let groups = text.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
    return groups.map(\.count) == [8, 4, 4, 4, 12]
        && groups.joined().allSatisfy { Character(Unicode.Scalar($0)).isHexDigit }
}

func configurationLines(_ settings: [DiscoveredSetting]) throws -> [String] {
    let file = try Configuration([]).setting(settings.map { ($0.name, $0.yaml) })
    return String(decoding: file.bytes, as: UTF8.self).split(separator: "\n").map(String.init)
}

extension DiscoveredSetting {
    /// Parameters are YAML already; texts that YAML could read in another way are quoted.
    var yaml: String {
        let isPlain = value.utf8.allSatisfy {
            UInt8(ascii: "a")...UInt8(ascii: "z") ~= $0 || UInt8(ascii: "A")...UInt8(ascii: "Z") ~= $0
                || "-._/@ ".utf8.contains($0)
        }
        let isAddress =
            value.contains("://") && value.utf8.allSatisfy { 0x21...0x7E ~= $0 && $0 != UInt8(ascii: "#") }
        if ["demo", "users.oauth.parameters"].contains(name) || isAddress
            || isPlain && !["", "true", "false", "null"].contains(value)
        {
            return value
        }
        let escaped = value.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
        return "\"\(escaped)\""
    }
}
