import FoundationEssentials
import HTTP
import Model

/// The settings of each kind of directory, as Directories.md explains them.
extension DiscoveredDirectory {
    static func activeDirectory(_ domain: String, _ host: String) -> DiscoveredDirectory {
        DiscoveredDirectory(
            name: "Active Directory", certainty: .sure, because: "DNS names the domain controller \(host)",
            format: "ldap", url: "ldaps://\(host)/\(base(domain))\(activePeople)",
            needed: ["users.bind_dn", "users.password_file"])
    }

    static func ldap(_ domain: String, _ host: String, isFreeIPA: Bool) -> DiscoveredDirectory {
        let base = isFreeIPA ? "cn=users,cn=accounts,\(base(domain))" : base(domain)
        return DiscoveredDirectory(
            name: isFreeIPA ? "FreeIPA" : "LDAP", certainty: .likely, because: "DNS names the server \(host)",
            format: "ldap", url: "ldaps://\(host)/\(base)", needed: ["users.bind_dn", "users.password_file"])
    }

    /// The same, by a Kerberos ticket and at all servers that DNS names.
    func byTicket() -> DiscoveredDirectory {
        var directory = self
        directory.name += ", by a Kerberos ticket"
        directory.because += ", and a Kerberos server"
        directory.needed = []
        for index in settings.indices where settings[index].name == "users.url" {
            let parts = settings[index].value.split(separator: "/", maxSplits: 2)
            directory.settings[index].value = "ldap:///\(parts.last ?? "")"
        }
        directory.settings.append(DiscoveredSetting("users.sasl", "gssapi"))
        return directory
    }

    /// - Parameter format: the built-in one, which may have a client id.
    static func microsoft(
        _ issuer: String, _ certainty: Certainty, _ reasons: [String],
        format: DirectoryFormat? = try? DirectoryFormat.builtIn("graph")
    ) -> DiscoveredDirectory {
        let clientID = format?.clientID(at: issuer)
        var directory = DiscoveredDirectory(
            name: "Microsoft 365", certainty: certainty, because: reasons.joined(separator: ", and "),
            format: "graph", url: "https://graph.microsoft.com/v1.0/users",
            issuer: issuer, needed: clientID == nil ? ["users.oauth.client_id"] : [])
        directory.clientID = clientID
        return directory
    }

    static func google(because reason: String) -> DiscoveredDirectory {
        DiscoveredDirectory(
            name: "Google Workspace", certainty: .likely, because: reason,
            format: "google-people", url: "https://people.googleapis.com/v1/people:listDirectoryPeople",
            issuer: "https://accounts.google.com",
            needed: ["users.oauth.client_id", "users.oauth.client_secret_file"])
    }

    static func scim(_ url: URL, _ certainty: Certainty, because reason: String) -> DiscoveredDirectory {
        DiscoveredDirectory(
            name: "SCIM", certainty: certainty, because: reason, format: "scim", url: url.absoluteString,
            needed: ["users.token_file"])
    }

    /// A list that anybody may read.
    static func list(_ url: URL, _ format: String) -> DiscoveredDirectory {
        DiscoveredDirectory(
            name: format == "userd" ? "a list of another userd" : "a list of users",
            certainty: .sure, because: "\(url.shown) answers with it",
            format: format, url: url.absoluteString, needed: [])
    }

    static func provider(
        _ name: String, _ issuer: String, _ format: String, _ url: URL
    ) -> DiscoveredDirectory {
        DiscoveredDirectory(
            name: name, certainty: .sure, because: "the document of \(issuer) is \(name)'s",
            format: format, url: url.absoluteString, issuer: issuer, needed: ["users.oauth.client_id"])
    }

    /// A provider of an unknown kind: its document names no list of users.
    static func provider(_ issuer: String) -> DiscoveredDirectory {
        DiscoveredDirectory(
            name: "another provider", certainty: .possible, because: "people can sign in at \(issuer)",
            settings: [DiscoveredSetting("users.oauth.issuer", issuer)],
            needed: ["users.url", "users.format", "users.oauth.client_id", "users.oauth.scope"])
    }
}

/// `dc=example,dc=org`
private func base(_ domain: String) -> String {
    domain.split(separator: ".").map { "dc=\($0)" }.joined(separator: ",")
}
