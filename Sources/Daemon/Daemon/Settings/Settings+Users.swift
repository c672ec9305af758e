import Model
import Platform
import YAML

extension Settings {
    struct Users: Sendable {
        var format = "randomuser"
        var url = "https://randomuser.me/api/"
        var sasl: SASL?
        var bindDN: String?
        var passwordFile: SecretPath?
        var startTLS = false
        var query = "nat=us&seed=999"
        var pageSize = 20
        /// Nil for all.
        var pages: Int? = 1
        /// Nil for the usual one.
        var interval: Duration?
        var fullInterval = Duration.seconds(86_400)
        var idsInterval = Duration.seconds(6 * 3600)
        var removalGuard = 0.5
        var tokenFile: SecretPath?
        var tokenScheme = "Bearer"
        var pictures = Pictures.none
        var records: YAMLNode?
        var fields: YAMLNode?
        var skip: YAMLNode?
        /// In the order of `UserKind`.
        var kinds: [UserKind] = [.person]
        var kindValues: YAMLNode?
        /// Names of fields to leave out, in the order of `UserField.omittable`.
        var omit: [String] = []
        var paging: YAMLNode?
        var oauth = OAuth()
        var basic = Basic()
        var headers: Headers?
        var body: YAMLNode?
    }

    /// RFC 7617.
    struct Basic: Sendable {
        /// Nil if the password file holds both, with a colon between them.
        var user: String?
        var passwordFile: SecretPath?
    }

    /// A mechanism of SASL (RFC 4422).
    enum SASL: String, Sendable, CaseIterable { case gssapi }

    /// The pictures to fetch in advance.
    enum Pictures: String, Sendable, CaseIterable { case none, thumbnail, all }
}

extension Settings.Users {
    /// The interval while a directory's changes are not trusted.
    var usualInterval: Duration { interval ?? Self.usualInterval }

    static let usualInterval = Duration.seconds(15 * 60)
}

extension Setting {
    static let users: [Setting] =
        [
            Setting(
                "users.format", \.users.format, .format,
                "The format of users.url: randomuser, scim, json or another built-in format"),
            Setting("users.url", \.users.url, .directoryURL, "The address to fetch users from"),
            Setting(
                "users.sasl", \.users.sasl, SettingKind<Settings.SASL>.word(expected: "gssapi").orNothing(),
                "Log in to an LDAP directory by a Kerberos ticket"),
            Setting("users.bind_dn", \.users.bindDN, .name, "The DN to bind with (LDAP)"),
            Setting(
                "users.password_file", \.users.passwordFile, .secretFile,
                default: "users-password beside config.yaml, if users.bind_dn is set",
                "The file with the password of users.bind_dn"),
            Setting(
                "users.starttls", \.users.startTLS, .boolean, alone: "true",
                "Encrypt the connection to an ldap:// address with StartTLS"),
            Setting(
                "users.query", \.users.query, .query,
                default: "that of users.format; nat=us&seed=999 for randomuser",
                "Query parameters for users.url, in addition to page and size"),
            Setting(
                "users.body", \.users.body, .body, default: "none: users are requested by GET",
                "The body of a POST that asks for users; users.paging may point into it"),
            Setting(
                "users.page_size", \.users.pageSize, .integer(1...5000),
                default: "that of users.format; 20 for randomuser", "Users per page"),
            Setting(
                "users.pages", \.users.pages, .optionalInteger(1...10_000, none: "all"),
                default: "all; 1 for randomuser, which never ends", "Pages of users to fetch in a sync"),
            Setting(
                "users.interval", \.users.interval, .usersInterval,
                default: "15min; 1h while a directory that says what changed is trusted",
                "The time from one sync of users to the next"),
            Setting(
                "users.full_interval", \.users.fullInterval, .longestTime,
                "The longest time between two lists of users that are read whole; 0s: each is"),
            Setting(
                "users.ids_interval", \.users.idsInterval, .interval,
                "The longest time between two readings of all ids of an LDAP directory, while only changes are read"
            ),
            Setting(
                "users.removal_guard", \.users.removalGuard, .fraction,
                "The largest part of the cached users that a sync may remove without confirmation"),
            Setting(
                "users.token_file", \.users.tokenFile, .secretFile,
                default: "users-token beside config.yaml, if it exists and users.url is set",
                "The file with the token for users.url"),
            Setting(
                "users.token_scheme", \.users.tokenScheme, .tokenScheme,
                "The scheme of the token in the header Authorization, such as SSWS for Okta"),
            Setting(
                "users.headers", \.users.headers, .headers, default: "none",
                "Headers to send to users.url, such as API keys; their values are kept secret"),
            Setting(
                "users.pictures", \.users.pictures, .word(),
                "The pictures to fetch in advance; others are fetched on request"),
            Setting(
                "users.records", \.users.records, .records, default: "that of users.format",
                "The pointer to the list of users in an answer"),
            Setting(
                "users.fields", \.users.fields, .fields(example: "{id: /id, email: [/mail, /emails/0]}"),
                default: "those of users.format, each of which can be replaced alone",
                "The member of a record that each field is read from"),
            Setting(
                "users.skip", \.users.skip,
                .structure(
                    "a pointer and a value, or a list of them, such as {/active: false}; {} leaves out none"),
                default: "those of users.format", "The records to leave out"),
            Setting(
                "users.kinds", \.users.kinds, .kinds,
                "The kinds of users to keep; a mailbox is a shared one, a contact is somebody outside"),
            Setting(
                "users.kind_values", \.users.kindValues,
                .structure("a word of the upstream and the kind that it means, such as {list: group}"),
                default: "none: the upstream's words are those of users.kinds",
                "The kinds that the upstream has other words for"),
            Setting(
                "users.omit", \.users.omit, .omission,
                "Fields of users to leave out; email also leaves out emails, and phone and cell leave out phones"
            ),
            Setting(
                "users.paging", \.users.paging, .paging, default: "that of users.format",
                "How to request the next page of users"),
            Setting(
                "users.basic.user", \.users.basic.user, .user,
                "The user name for users.url, instead of users.token_file"),
            Setting(
                "users.basic.password_file", \.users.basic.passwordFile, .secretFile,
                default: "users-password beside config.yaml, if users.basic.user is set",
                "The file with the password of users.basic.user, or with NAME:PASSWORD if that is not set"),
        ]
}
