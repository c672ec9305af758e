import CommandSupport
import Glibc
import Model
import Platform
import YAML

/// The users' settings in config.yaml as they are, and as they will be.
struct ConnectPlan {
    let before: Configuration
    var settings: [DiscoveredSetting]
    /// The secret that one of them names the file of.
    var secret: GivenSecret?
    /// Whether the file names this directory already.
    let isKnown: Bool

    /// They say how a directory is kept, not where it is.
    private static let kept: Set = ["users.interval", "users.omit", "users.removal_guard"]

    /// The settings of another directory, which are replaced.
    var replaced: [String] {
        isKnown ? [] : before.names(in: "users").filter { !Self.kept.contains($0) }
    }

    /// The settings that are written.
    var added: [DiscoveredSetting] { isKnown ? settings.filter { !before.has($0) } : settings }

    var isSignIn: Bool { settings.value(of: "users.oauth.issuer") != nil }
    var isByTicket: Bool { settings.value(of: "users.sasl") != nil }
    var url: String { settings.value(of: "users.url") ?? "" }

    func edit(_ file: Configuration) throws(YAMLError) -> Configuration {
        var edited = try file.removing("demo")
        for name in replaced { edited = try edited.removing(name) }
        return try edited.setting(settings.filter { !edited.has($0) }.map { ($0.name, $0.yaml) })
    }

    /// The lines that are replaced. Values that may be secret are left out.
    func replacedLines() -> [String] {
        replaced.map { name in
            let value = before.text(name) ?? ""
            switch name {
            case "users.url": return "\(name): \(shownAddress(value))"
            case "users.format", "users.bind_dn", "users.oauth.issuer", "users.oauth.client_id":
                return "\(name): \(value)"
            default: return "\(name): …"
            }
        }
    }
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
    /// Whether the file names this directory, and no other.
    func isNamed(in file: Configuration) -> Bool {
        file.text("users.url") != nil && settings.allSatisfy(file.has)
    }

    /// The directory with what the file says of it, in place of asking. Secrets stay to be asked for.
    func resumed(from file: Configuration, folder: String) -> DiscoveredDirectory {
        var directory = self
        for name in needed where SecretKind(rawValue: name) == nil {
            guard let value = file.text(name) else { continue }
            directory.needed.removeAll { $0 == name }
            directory.settings.append(DiscoveredSetting(name, value))
        }
        // Whoever signs in needs no token.
        if let issuer = file.text("users.oauth.issuer"), needed.contains("users.token_file") {
            directory.needed.removeAll { $0 == "users.token_file" }
            directory.settings.append(DiscoveredSetting("users.oauth.issuer", issuer))
        }
        // userd finds a token beside config.yaml without a setting.
        let takesToken = file.text("users.format") != "ldap" && file.names(in: "users.oauth").isEmpty
        if directory.needed.isEmpty, takesToken, access(folder + "/users-token", F_OK) == 0 {
            directory.needed = ["users.token_file"]
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
