/// What a name says of what it names, in whatever way it is written: `access_token`, `accessToken` and `Access-Token` are the
/// same.
struct SecretName {
    private let letters: [UInt8]
    private let words: [[UInt8]]

    /// - Parameter name: decoded.
    init(_ name: some Sequence<UInt8>) {
        var (words, word): ([[UInt8]], [UInt8]) = ([], [])
        let name = Array(name)
        for (index, byte) in name.enumerated() {
            let next = index + 1 < name.count ? name[index + 1] : 0
            let previous = index > 0 ? name[index - 1] : 0
            // `accessToken`, and `OTPCode`.
            let beginsWord = isUpper(byte) && (isLower(previous) || isUpper(previous) && isLower(next))
            let isPart = isUpper(byte) || isLower(byte) || isDigit(byte)
            if beginsWord || !isPart, !word.isEmpty {
                words.append(word)
                word = []
            }
            if isPart { word.append(byte.asciiLowercased) }
        }
        self.words = word.isEmpty ? words : words + [word]
        letters = Array(self.words.joined())
    }

    /// - Parameter name: without escapes.
    init(_ name: String) { self.init(name.utf8) }

    /// Whether the header's value tells who somebody is, and so is looked for in all else.
    var isSecretHeader: Bool { letters == Array("authenticationinfo".utf8) || isSecret }

    /// Whether such a header's value is one by itself, rather than a key of a cache or a word about who has signed in.
    var isCredential: Bool { hasSecretPart }

    var isSecretParameter: Bool { ["key", "code"].contains { letters.elementsEqual($0.utf8) } || isSecret }

    /// Of JSON: what `login` of a user holds beside the name, too, and what answers to a sign-in.
    var isSecretMember: Bool { Self.loginMembers.contains(letters) || isSecret }

    /// What such a name does for others.
    enum Part {
        /// Its value is the name of something, such as in `"name": "password"`.
        case name
        /// It has the value of what is named beside it.
        case value
        /// Of a header that has several words.
        case header
        /// In a header, before credentials: RFC 9110, section 11.
        case scheme
    }

    var part: Part? { Self.partsOfText[letters] }

    /// Whether it is made of a secret, and says nothing where that is not known.
    var isDigest: Bool { Self.loginMembers.contains(letters) || letters.elementsEqual("hash".utf8) }

    /// Whether it is one of those that upstreams of users name a document of theirs after: `"name": "SSN"`.
    var isDocument: Bool { ["ssn", "sid"].contains { letters.elementsEqual($0.utf8) } }

    private static let partsOfText: [[UInt8]: Part] = [
        Part.name: [
            "name", "key", "field", "id", "label", "param", "parameter", "property", "header", "variable",
            "type",
            "attribute", "path", "option", "setting", "kind", "autocomplete",
        ],
        .value: [
            "value", "values", "val", "content", "contents", "input", "default", "defaultvalue", "data",
            "text", "given",
            "got", "actual", "received", "rejected", "rejectedvalue", "attemptedvalue", "invalidvalue",
        ],
        .header: ["authorization", "proxyauthorization", "cookie", "cookies", "setcookie"],
        .scheme: ["basic", "bearer", "digest", "negotiate", "token", "apikey"],
    ].reduce(into: [:]) { result, names in
        for name in names.value { result[Array(name.utf8)] = names.key }
    }

    private var isSecret: Bool {
        isKey || Self.whole.contains(letters) || words.contains(where: Self.whole.contains) || hasSecretPart
    }

    private var hasSecretPart: Bool {
        letters.indices.contains { start in
            Self.parts.contains { $0[0] == letters[start] && letters[start...].starts(with: $0) }
        }
    }

    /// A `key` alone may be any.
    private var isKey: Bool {
        let ends = { (end: [UInt8]) in letters.suffix(end.count) == end[...] }
        return letters.count > 3 && ends(Array("key".utf8)) && !Self.animalsAndTheLike.contains(where: ends)
    }

    private static let loginMembers = set(["salt", "md5", "sha1", "sha256", "sha512"])
    private static let whole = set([
        "sig", "auth", "oauth", "sso", "saml", "mfa", "tfa", "pass", "passcode", "pwd", "pw", "pin", "sid",
        "jwt", "jws", "jwe", "otp", "totp", "hotp", "csrf", "xsrf", "nonce", "ticket", "hash", "hmac", "mac",
        "assertion", "verifier", "license", "licence", "psk", "ssn", "cred", "creds", "appid",
    ])
    private static let parts = [
        "token", "accesskey", "apikey", "password", "passwd", "passphrase", "secret", "signature", "session",
        "sessid", "credential", "authorization", "bearer", "cookie", "hmac", "csrf", "xsrf", "jsession",
    ].map { Array($0.utf8) }
    private static let animalsAndTheLike = [
        "monkey", "turkey", "donkey", "whiskey", "hockey", "jockey", "hotkey", "mickey",
    ].map { Array($0.utf8) }

    private static func set(_ names: [String]) -> Set<[UInt8]> { Set(names.map { Array($0.utf8) }) }
}

/// Whether a header is known to say nothing of who asks, and so is worth keeping: those that userd reads, and those that
/// tell how an upstream and what is before it works.
func isHarmless(header name: String) -> Bool {
    let name = name.asciiLowercased
    let isKnown = harmlessHeaders.contains(name) || rateLimits.contains(where: name.hasPrefix)
    return isKnown && !SecretName(name).isSecretHeader
}

private let rateLimits = ["ratelimit", "x-ratelimit", "x-rate-limit"]
private let harmlessHeaders: Set<String> = [
    "accept", "accept-encoding", "accept-language", "accept-ranges", "age", "allow", "cache-control",
    "connection", "content-encoding", "content-language", "content-length", "content-range", "content-type",
    "date", "etag", "expires", "host", "if-modified-since", "if-none-match", "keep-alive", "last-modified",
    "link", "location", "pragma", "range", "retry-after", "server", "transfer-encoding", "user-agent", "vary",
]

private func isUpper(_ byte: UInt8) -> Bool { UInt8(ascii: "A")...UInt8(ascii: "Z") ~= byte }
private func isLower(_ byte: UInt8) -> Bool { UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte }
private func isDigit(_ byte: UInt8) -> Bool { UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte }
