import HTTP
import LDAP
import Logging
import Model
import Upstream

extension LDAPSettings {
    /// Nil if users are not fetched over LDAP.
    init?(_ settings: Settings, _ format: DirectoryFormat?, logger: Logger) throws {
        guard let format, format.isLDAP else { return nil }
        let users = settings.users
        self.init(address: try LDAPAddress(users.url), format: format)
        startsTLS = users.startTLS
        usesTicket = users.sasl == .gssapi
        servers = { domain in
            let name = "_ldap._tcp.\(domain)"
            do {
                return try dnsAnswers(name, .service).compactMap { record in
                    guard case .service(let host, let port, let priority, let weight) = record else {
                        return nil
                    }
                    return LDAPServer(host: host, port: port, priority: priority, weight: weight)
                }
            } catch {
                throw UpstreamError(
                    .offline, "the servers of \(domain) can't be looked up (\(name)): \(error)")
            }
        }
        if let dn = users.bindDN, let path = users.passwordFile {
            let read = Secret.reader(.password, path, logger)
            credentials = Credentials(dn: dn) {
                let version = Secret.version(of: path)
                return (try read(), version)
            }
        }
        (pageSize, pages) = (users.pageSize, users.pages)
        authorities = settings.http.caFile
        (connectTimeout, deadline) = (settings.http.connectTimeout, settings.http.deadline)
        (maximumBytes, interval) = (settings.http.maxResponseBytes, users.interval)
        version = Setting.users(of: settings)
    }
}

extension Settings {
    /// Mistakes in the settings of LDAP.
    /// - Parameter format: the format of users.
    func ldapMistakes(_ format: DirectoryFormat?) -> [SettingMistake] {
        // A recording has its own users.format; other settings may be for another format.
        guard self.replay == nil else { return [] }
        var mistakes: [SettingMistake] = []
        func mistake(_ setting: String, _ reason: String) {
            mistakes.append(SettingMistake(setting, reason))
        }
        let users = self.users
        let isAddress = LDAPAddress.isOne(users.url)
        guard format?.isLDAP == true else {
            if isAddress { mistake("users.url", "is an LDAP address; set users.format to ldap") }
            let others = [
                ("users.bind_dn", users.bindDN != nil), ("users.password_file", users.passwordFile != nil),
                ("users.starttls", users.startTLS), ("users.sasl", users.sasl != nil),
            ]
            for (name, isSet) in others where isSet {
                mistake(
                    name, "has no meaning where users.format is \(users.format); set users.format to ldap")
            }
            return mistakes
        }
        do throws(FormatMistake) {
            let address = try LDAPAddress(users.url)
            if !address.attributes.isEmpty {
                mistake("users.url", "names attributes; name them in users.fields instead")
            }
            if users.startTLS, address.scheme != .ldap {
                mistake(
                    "users.starttls",
                    "works only with ldap:// addresses; users.url is \(address.scheme.rawValue)://")
            }
            if address.host.isEmpty, address.scheme == .ldaps {
                mistake(
                    "users.url",
                    "needs a host with ldaps://, since DNS names the ports of ldap://: write ldap:///, which users.sasl and users.starttls encrypt"
                )
            }
            if users.sasl != nil {
                if address.scheme == .ldapi {
                    mistake(
                        "users.sasl", "has no meaning with ldapi://, where the user of this process logs in")
                } else if HTTPHost(address.host)?.isAddress == true {
                    mistake(
                        "users.url",
                        "has an IP address, and Kerberos needs the server's name, such as ldap://dc1.example.org"
                    )
                }
            }
        } catch {
            mistake("users.url", error.reason)
        }
        if users.sasl != nil, users.bindDN != nil {
            mistake("users.sasl", "conflicts with users.bind_dn, which is set too; remove one of them")
        }
        if users.bindDN != nil, users.passwordFile == nil {
            mistake("users.bind_dn", "also needs users.password_file")
        }
        if users.passwordFile != nil, users.sasl != nil {
            mistake(
                "users.password_file", "has no meaning with users.sasl, which needs no password; remove it")
        } else if users.passwordFile != nil, users.bindDN == nil {
            mistake(
                "users.password_file", "also needs users.bind_dn, the name that the password belongs to")
        }
        if users.tokenFile != nil {
            mistake(
                "users.token_file",
                "has no meaning with LDAP; users.password_file holds the password of users.bind_dn")
        }
        if self.record != nil {
            mistake("record", "records only HTTP, and users.format is ldap; remove one of them")
        }
        let others = [
            users.oauth.setting, users.basicSetting,
            users.headers.map { _ in "users.headers" }, users.body.map { _ in "users.body" },
        ]
        for name in others.compactMap(\.self) { mistake(name, "has no meaning with LDAP") }
        return mistakes
    }

    /// The reason why a recording can't replace users' directory; nil if it can.
    var replayRefusal: String? {
        guard self.replay != nil, self.users.format == "ldap" else { return nil }
        return
            "replay: a recording holds only HTTP, and users.format is ldap; remove one of them, or use a mock"
    }
}
