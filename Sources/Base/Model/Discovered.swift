/// What `userd --discover` prints: what an organisation has, by its name.
package struct Discovered: Hashable, Sendable, Codable {
    /// The surest first.
    package var directories: [DiscoveredDirectory]
    /// What could not be asked, for people.
    package var complaints: [String]

    package init(directories: [DiscoveredDirectory], complaints: [String]) {
        (self.directories, self.complaints) = (directories, complaints)
    }
}

/// The end of an address of Active Directory: people. `users.skip` leaves out those whose account is disabled, so that the next sync
/// of changes removes them.
package let activePeople = "??sub?(sAMAccountType=805306368)"

/// A directory that an organisation seems to have.
package struct DiscoveredDirectory: Hashable, Sendable, Codable {
    package enum Certainty: String, Hashable, Sendable, Codable { case sure, likely, possible }

    /// Its name in messages, such as `Microsoft 365`.
    package var name: String
    package var certainty: Certainty
    /// What it rests on, for people.
    package var because: String
    /// The settings that are known, by name, in the order of the configuration file.
    package var settings: [DiscoveredSetting]
    /// The names of the settings that only a person knows.
    package var needed: [String]
    /// The client id that comes with userd; nil if there is none for it.
    package var clientID: String?

    package init(
        name: String, certainty: Certainty, because: String, settings: [DiscoveredSetting], needed: [String]
    ) {
        (self.name, self.certainty, self.because) = (name, certainty, because)
        (self.settings, self.needed) = (settings, needed)
    }

    /// - Parameters:
    ///   - format: the setting `users.format`, as `url` is `users.url`.
    ///   - issuer: where people sign in; nil if they don't.
    package init(
        name: String, certainty: Certainty, because: String, format: String, url: String,
        issuer: String? = nil, needed: [String]
    ) {
        var settings = [DiscoveredSetting("users.format", format), DiscoveredSetting("users.url", url)]
        if let issuer {
            settings.append(DiscoveredSetting("users.oauth.issuer", issuer))
            settings += Self.signIn(format, at: issuer)
        }
        self.init(
            name: name, certainty: certainty, because: because, settings: settings, needed: needed)
    }

    /// The settings for people who sign in, beside the issuer, as Directories.md has them; none for a provider that it does not
    /// know. Microsoft's format is also that of others.
    package static func signIn(_ format: String, at issuer: String) -> [DiscoveredSetting] {
        guard format != "graph" || issuer.hasPrefix(microsoftSignIn) else { return [] }
        return (signIns[format] ?? [:]).map { DiscoveredSetting("users.oauth.\($0)", $1) }
    }

    private static let signIns: [String: KeyValuePairs<String, String>] = [
        "graph": [
            "redirect": "http://localhost", "scope": "openid profile offline_access User.ReadBasic.All",
        ],
        "google-people": [
            "scope": "openid profile https://www.googleapis.com/auth/directory.readonly",
            "parameters": "{access_type: offline, prompt: consent}",
        ],
        "gitlab": ["scope": "openid profile read_api"],
        "okta": ["scope": "openid profile offline_access okta.users.read"],
        "keycloak": ["scope": "openid profile offline_access"],
    ]
}

/// The beginning of the issuers of Microsoft's tenants.
package let microsoftSignIn = "https://login.microsoftonline.com/"

package struct DiscoveredSetting: Hashable, Sendable, Codable {
    package var name: String
    /// The value, as the configuration file has it.
    package var value: String

    package init(_ name: String, _ value: String) { (self.name, self.value) = (name, value) }
}

extension [DiscoveredSetting] {
    package func value(of name: String) -> String? { first { $0.name == name }?.value }
}
