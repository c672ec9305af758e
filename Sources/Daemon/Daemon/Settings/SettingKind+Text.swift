import FoundationEssentials
import HTTP
import Platform

extension SettingKind<String> {
    /// A kind whose value is the text itself, if the check accepts it.
    fileprivate init(
        _ placeholder: String, expected: String, isQuoted: Bool = true, isPath: Bool = false,
        _ check: @escaping @Sendable (String) throws(InvalidValue) -> Void
    ) {
        self.init(
            placeholder: placeholder, expected: expected, isQuoted: isQuoted, isPath: isPath,
            read: { given throws(InvalidValue) in
                try check(given.text)
                return given.text
            },
            write: { $0 })
    }

    static let path = SettingKind("path", expected: "a file's path", isPath: true) {
        text throws(InvalidValue) in try checkPath(text, atMost: 4095)
    }

    static let url = SettingKind("url", expected: "a URL such as https://example.org/path", checkURL)

    /// Also an LDAP URL (RFC 4516), whose parts are checked elsewhere.
    static let directoryURL = SettingKind(
        "url",
        expected: "a URL such as https://example.org/path or ldaps://ldap.example.org/dc=example,dc=org"
    ) { text throws(InvalidValue) in
        let scheme = text.prefix { $0 != ":" }.lowercased()
        guard ["ldap", "ldaps", "ldapi"].contains(scheme) else { return try checkURL(text) }
        try checkLength(text, atMost: 2048)
        try refuseControls(text)
    }

    /// Checks the form only; the names are not known here.
    static let format = SettingKind("format", expected: "the name of a format", isQuoted: false) {
        text throws(InvalidValue) in
        guard !text.isEmpty,
            text.utf8.allSatisfy("abcdefghijklmnopqrstuvwxyz0123456789_-".utf8.contains)
        else { throw InvalidValue(problem: "is not the name of a format") }
    }

    /// The query of a URL; may be empty. What has to be encoded is encoded when it is sent.
    static let query = SettingKind(
        "query", expected: "a URL's query on one line and without its ?, such as nat=us&seed=999"
    ) { text throws(InvalidValue) in
        guard text.first.map({ !"?{\"".contains($0) }) ?? true, text.utf8.count <= 2048,
            text.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F })
        else { throw InvalidValue(problem: "is not a query", isShown: !text.contains("=")) }
    }

    /// An authentication scheme (RFC 9110, section 11.1).
    static let tokenScheme = SettingKind(
        "scheme", expected: "one word such as Bearer or SSWS", isQuoted: false
    ) { text throws(InvalidValue) in
        let isWord = text.utf8.allSatisfy {
            let character = Character(Unicode.Scalar($0))
            return $0 < 0x80
                && (character.isLetter || character.isNumber || "!#$%&'*+-.^_`|~".contains(character))
        }
        // It may be the token itself.
        guard isWord, 1...40 ~= text.utf8.count else {
            throw InvalidValue(problem: "is not a scheme", isShown: false)
        }
    }
}

extension SettingKind<String?> {
    /// A Unix socket's path, which `sockaddr_un` limits to 108 bytes with the NUL at the end (unix(7)).
    static let socketPath = SettingKind(
        placeholder: "path", expected: "a path of at most 107 bytes", isQuoted: true, isPath: true,
        read: { given throws(InvalidValue) in
            try checkPath(given.text, atMost: 107)
            return given.text
        },
        write: { $0 })

    static let optionalPath = SettingKind<String>.path.orNothing()

    static let optionalURL = SettingKind<String>.url.orNothing()

    /// The DN of an entry, or another name that a directory accepts for it.
    static let name = SettingKind<String>("name", expected: "a name such as cn=userd,dc=example,dc=org") {
        text throws(InvalidValue) in
        try refuseControls(text)
        try checkLength(text, atMost: 2048)
    }.orNothing()

    static let words = SettingKind<String>("words", expected: "words on one line") {
        text throws(InvalidValue) in
        try refuseControls(text)
        try checkLength(text, atMost: 1000)
    }.orNothing()

    /// An address of this machine for browsers (RFC 8252, section 7.3).
    static let loopbackURL = SettingKind<String>(
        "address", expected: "an address of this machine such as http://localhost:8400/callback"
    ) { text throws(InvalidValue) in
        try checkURL(text)
        guard let url = URLComponents(string: text, encodingInvalidCharacters: false),
            url.scheme == "http", url.query == nil,
            ["127.0.0.1", "localhost", "::1"].contains(HTTPAuthority(url)?.host.text ?? "")
        else { throw InvalidValue(problem: "is not an http address of this machine") }
    }.orNothing()

    /// Visible ASCII and spaces (RFC 6749, appendix A).
    static let optionalText = SettingKind<String>("text", expected: "ASCII characters on one line") {
        text throws(InvalidValue) in
        guard text.utf8.allSatisfy({ 0x20...0x7E ~= $0 }) else {
            throw InvalidValue(problem: "holds other characters")
        }
        try checkLength(text, atMost: 2048)
    }.orNothing()

    /// RFC 7617, section 2.
    static let user = SettingKind<String>("user", expected: "a user's name, which has no colon") {
        text throws(InvalidValue) in
        if text.contains(":") { throw InvalidValue(problem: "holds a colon", isShown: false) }
        try refuseControls(text)
        try checkLength(text, atMost: 2048)
    }.orNothing()

    static let proxy = SettingKind<String>(
        "proxy", expected: "a proxy such as http://proxy.example.org:3128 or socks5://localhost:1080",
        checkProxy
    ).orNothing("or empty")

    /// Host names, separated by commas or blanks like those in `NO_PROXY`.
    static let hosts = SettingKind<String>(
        "hosts", expected: "hosts, domains and addresses, separated by commas, * for all"
    ) { text throws(InvalidValue) in try checkLength(text, atMost: 4096) }.orNothing("or empty")
}

extension SettingKind<SecretPath?> {
    /// A path, which is shown only if it looks like one.
    static let secretFile: Self = {
        let path = SettingKind<String?>.optionalPath
        return SettingKind(
            placeholder: path.placeholder, expected: path.expected, isQuoted: true, isPath: true,
            read: { given throws(InvalidValue) in
                do throws(InvalidValue) { return try path.read(given).map { SecretPath($0) } } catch {
                    throw InvalidValue(problem: error.problem, isShown: SecretPath(given.text).isShown)
                }
            },
            write: { $0?.text ?? "" }, shown: { $0?.description ?? "" })
    }()
}

func checkLength(_ text: String, atMost limit: Int) throws(InvalidValue) {
    if text.utf8.count > limit { throw InvalidValue(problem: "is longer than \(limit) bytes") }
}

func refuseControls(_ text: String) throws(InvalidValue) {
    if text.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) {
        throw InvalidValue(problem: "holds a control character")
    }
}

private func checkPath(_ text: String, atMost limit: Int) throws(InvalidValue) {
    if text.isEmpty { throw InvalidValue(problem: "is empty") }
    if text == "-" {
        throw InvalidValue(
            problem: "is not standard input or output here; write ./- for a file of that name")
    }
    try checkLength(text, atMost: limit)
    if text.hasPrefix("~") {
        throw InvalidValue(
            problem: "begins with ~, but not with ~/ for your home directory")
    }
    try refuseControls(text)
}

private func needsASCII(_ host: String) -> String {
    "has a host with letters beyond ASCII; write it as \(host)"
}

@Sendable private func checkURL(_ text: String) throws(InvalidValue) {
    // A URL that may hold a password or a key is not shown.
    func invalid(_ problem: String) -> InvalidValue {
        InvalidValue(problem: problem, isShown: !text.contains { "@=?".contains($0) })
    }

    if let host = asciiHost(of: text) { throw invalid(needsASCII(host)) }
    guard let url = URLComponents(string: text, encodingInvalidCharacters: false) else {
        throw invalid("is not a URL")
    }
    if url.user != nil || url.password != nil {
        throw invalid(
            "holds a user name or a password, which have no place in a URL: "
                + "put a bearer token into a file, and name the file in users.token_file")
    }
    guard let scheme = url.scheme?.lowercased(), scheme == "https" || scheme == "http" else {
        throw invalid("is not an http or https URL")
    }
    if let fault = HTTPAuthority.fault(of: url) { throw invalid(fault) }
    if url.fragment != nil { throw invalid("has a fragment (#), which is never sent") }
    try checkLength(text, atMost: 2048)
}

/// User and password of the address are secrets: an invalid one is not shown.
@Sendable func checkProxy(_ text: String) throws(InvalidValue) {
    func invalid(_ problem: String) -> InvalidValue {
        InvalidValue(problem: problem, isShown: !text.contains("@"))
    }
    if let host = asciiHost(of: text) { throw invalid(needsASCII(host)) }
    guard text.utf8.count <= 2048,
        let url = URLComponents(string: text, encodingInvalidCharacters: false), let scheme = url.scheme
    else { throw invalid("is not the address of a proxy") }
    switch scheme.lowercased() {
    case "http": break
    case "socks", "socks5", "socks5h":
        guard url.user == nil, url.password == nil else {
            throw invalid("has a user or a password, which userd cannot give to a SOCKS proxy")
        }
    case "https":
        throw invalid(
            "is an https:// proxy, which userd does not support; "
                + "through an http:// proxy, requests to https:// upstreams are encrypted, too")
    default: throw invalid("is not an http://, socks5:// or socks5h:// proxy")
    }
    if let fault = HTTPAuthority.fault(of: url) { throw invalid(fault) }
    guard ["", "/"].contains(url.path), url.query == nil, url.fragment == nil else {
        throw invalid("has more than a host and a port")
    }
}
