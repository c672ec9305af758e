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
                return try dnsAnswers(name, .service).compactMap(\.server)
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
        (maximumBytes, interval) = (settings.http.maxResponseBytes, users.usualInterval)
        idsInterval = users.idsInterval
        version = Setting.users(of: settings)
    }
}

extension Settings {
    /// Mistakes in the settings of LDAP.
    /// - Parameter format: the format of users.
    func ldapMistakes(_ format: DirectoryFormat?) -> [SettingMistake] {
        // A recording has its own users.format; other settings may be for another format.
        guard self.replay == nil else { return [] }
        guard format?.isLDAP == true else { return users.mistakesWithoutLDAP }
        let record = SettingMistake(
            "record", if: self.record != nil,
            "records only HTTP, and users.format is ldap; remove one of them")
        let others = [
            users.oauth.setting, users.basicSetting,
            users.headers.map { _ in "users.headers" }, users.body.map { _ in "users.body" },
        ]
        return users.addressMistakes + users.loginMistakes + [record].compactMap(\.self)
            + others.compactMap { $0.map { SettingMistake($0, "has no meaning with LDAP") } }
    }

    /// The reason why a recording can't replace users' directory; nil if it can.
    var replayRefusal: String? {
        guard self.replay != nil, self.users.format == "ldap" else { return nil }
        return
            "replay: a recording holds only HTTP, and users.format is ldap; remove one of them, or use a mock"
    }
}

extension Settings.Users {
    fileprivate var mistakesWithoutLDAP: [SettingMistake] {
        let address = SettingMistake("users.url", "is an LDAP address; set users.format to ldap")
        let others = [
            ("users.bind_dn", bindDN != nil), ("users.password_file", passwordFile != nil),
            ("users.starttls", startTLS), ("users.sasl", sasl != nil),
        ].filter(\.1).map {
            SettingMistake($0.0, "has no meaning where users.format is \(format); set users.format to ldap")
        }
        return (LDAPAddress.isOne(url) ? [address] : []) + others
    }

    fileprivate var addressMistakes: [SettingMistake] {
        let address: LDAPAddress
        do throws(FormatMistake) { address = try LDAPAddress(url) } catch {
            return [SettingMistake("users.url", error.reason)]
        }
        let (isLocal, isNumber) = (address.scheme == .ldapi, HTTPHost(address.host)?.isAddress == true)
        return [
            SettingMistake(
                "users.url", if: !address.attributes.isEmpty,
                "names attributes; name them in users.fields instead"),
            SettingMistake(
                "users.starttls", if: startTLS && address.scheme != .ldap,
                "works only with ldap:// addresses; users.url is \(address.scheme.rawValue)://"),
            SettingMistake(
                "users.url", if: address.host.isEmpty && address.scheme == .ldaps,
                "needs a host with ldaps://, since DNS names the ports of ldap://: write ldap:///, which users.sasl and users.starttls encrypt"
            ),
            SettingMistake(
                "users.sasl", if: sasl != nil && isLocal,
                "has no meaning with ldapi://, where the user of this process logs in"),
            SettingMistake(
                "users.url", if: sasl != nil && !isLocal && isNumber,
                "has an IP address, and Kerberos needs the server's name, such as ldap://dc1.example.org"),
        ].compactMap(\.self)
    }

    fileprivate var loginMistakes: [SettingMistake] {
        [
            SettingMistake(
                "users.sasl", if: sasl != nil && bindDN != nil,
                "conflicts with users.bind_dn, which is set too; remove one of them"),
            SettingMistake(
                "users.bind_dn", if: bindDN != nil && passwordFile == nil,
                "also needs users.password_file"),
            SettingMistake(
                "users.password_file", if: passwordFile != nil && sasl != nil,
                "has no meaning with users.sasl, which needs no password; remove it"),
            SettingMistake(
                "users.password_file", if: passwordFile != nil && sasl == nil && bindDN == nil,
                "also needs users.bind_dn, the name that the password belongs to"),
            SettingMistake(
                "users.token_file", if: tokenFile != nil,
                "has no meaning with LDAP; users.password_file holds the password of users.bind_dn"),
        ].compactMap(\.self)
    }
}
