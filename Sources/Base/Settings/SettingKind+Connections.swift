import FoundationEssentials

extension SettingKind<String> {
    /// An authentication scheme (RFC 9110, section 11.1).
    static let tokenScheme = SettingKind(
        "scheme", expected: "one word such as Bearer or SSWS",
        read: { text throws(InvalidValue) in
            let marks = "!#$%&'*+-.^_`|~".utf8
            let isWord = text.utf8.allSatisfy {
                marks.contains($0) || Character(Unicode.Scalar($0)).isLetter && $0 < 0x80
                    || UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0
            }
            guard isWord, 1...40 ~= text.utf8.count else {
                // Perhaps the token itself.
                throw InvalidValue(problem: "is not a scheme", isShown: false)
            }
            return text
        },
        write: { $0 })
}

extension SettingKind<String> {
    /// Of LDAP (RFC 4516) too. What its parts mean, those know who ask it.
    static let directoryURL = SettingKind(
        "url",
        expected: "a URL such as https://example.org/path or ldaps://ldap.example.org/dc=example,dc=org",
        isQuoted: true,
        read: { text throws(InvalidValue) in
            let scheme = text.prefix { $0 != ":" }.lowercased()
            guard ["ldap", "ldaps", "ldapi"].contains(scheme) else { return try readURL(text) }
            guard text.utf8.count <= 2048 else { throw InvalidValue(problem: "is longer than 2048 bytes") }
            if text.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) {
                throw InvalidValue(problem: "holds a control character")
            }
            return text
        },
        write: { $0 })
}

extension SettingKind<String?> {
    /// That of an entry of a directory, or what a directory takes for one; an empty text is for none.
    static let name = SettingKind(
        "name", expected: "a name such as cn=userd,dc=example,dc=org, or nothing for none", isQuoted: true,
        read: { text throws(InvalidValue) in
            if text.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) {
                throw InvalidValue(problem: "holds a control character")
            }
            guard text.utf8.count <= 2048 else { throw InvalidValue(problem: "is longer than 2048 bytes") }
            return text.isEmpty ? nil : text
        },
        write: { $0 ?? "" })

    /// An empty text is for none.
    static let optionalURL = SettingKind(
        "url", expected: "a URL such as https://example.org/path, or nothing for none", isQuoted: true,
        read: { text throws(InvalidValue) in text.isEmpty ? nil : try readURL(text) },
        write: { $0 ?? "" })

    /// Visible ASCII and spaces (RFC 6749, appendix A); an empty text is for none.
    static let optionalText = SettingKind(
        "text", expected: "ASCII characters on one line, or nothing for none", isQuoted: true,
        read: { text throws(InvalidValue) in
            guard text.utf8.allSatisfy({ 0x20...0x7E ~= $0 }) else {
                throw InvalidValue(problem: "holds other characters")
            }
            guard text.utf8.count <= 2048 else { throw InvalidValue(problem: "is longer than 2048 bytes") }
            return text.isEmpty ? nil : text
        },
        write: { $0 ?? "" })

    static let proxy = SettingKind(
        "proxy",
        expected: "a proxy such as http://proxy.example.org:3128 or socks5://localhost:1080, or nothing",
        isQuoted: true,
        read: { text throws(InvalidValue) in text.isEmpty ? nil : try readProxy(text) },
        write: { $0 ?? "" })

    /// As in `NO_PROXY`: separated by commas or blanks.
    static let hosts = SettingKind(
        "hosts", expected: "hosts, domains and addresses, separated by commas, * for all, or nothing",
        isQuoted: true,
        read: { text throws(InvalidValue) in
            guard text.utf8.count <= 4096 else { throw InvalidValue(problem: "is longer than 4096 bytes") }
            return text.isEmpty ? nil : text
        },
        write: { $0 ?? "" })
}

extension SettingKind<Settings.ClientAuthentication> {
    static let clientAuthentication = SettingKind(
        Settings.ClientAuthentication.allCases.map(\.rawValue).joined(separator: "|"),
        expected: "basic or post",
        read: { text throws(InvalidValue) in try readCase(text) },
        write: { $0.rawValue })
}

/// User and password of the address are secrets: an invalid one is not shown.
func readProxy(_ text: String) throws(InvalidValue) -> String {
    func invalid(_ problem: String) -> InvalidValue {
        InvalidValue(problem: problem, isShown: !text.contains("@"))
    }
    guard text.utf8.count <= 2048,
        let url = URLComponents(string: text, encodingInvalidCharacters: false), let scheme = url.scheme
    else { throw invalid("is not the address of a proxy") }
    switch scheme.lowercased() {
    case "http": break
    case "socks5", "socks5h":
        guard url.user == nil, url.password == nil else {
            throw invalid("has a user or a password, which userd cannot give to a SOCKS proxy")
        }
    case "https":
        throw invalid(
            "is an https:// proxy, to which userd cannot connect; "
                + "with an http:// proxy, what goes to https:// upstreams is encrypted, too")
    default: throw invalid("is a kind of proxy that userd does not know")
    }
    guard let host = url.host, !host.isEmpty else { throw invalid("has no host") }
    if let port = url.port, !(1...65_535).contains(port) { throw invalid("has no valid port") }
    guard ["", "/"].contains(url.path), url.query == nil, url.fragment == nil else {
        throw invalid("has more than a host and a port")
    }
    return text
}
