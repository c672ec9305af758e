/// What a name says of what it names, in whatever way it is written: `access_token`, `accessToken` and `Access-Token` are the
/// same.
struct SecretName {
    let letters: [UInt8]
    let words: [[UInt8]]

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

    var isSecret: Bool {
        isKey || hasSecretPart || Self.whole.contains(letters)
            || words.contains { Self.whole.contains(Array($0[...($0.lastIndex { !isDigit($0) } ?? 0)])) }
    }

    private var hasSecretPart: Bool {
        letters.indices.contains { start in
            Self.parts.contains { $0[0] == letters[start] && letters[start...].starts(with: $0) }
        }
    }

    /// A `key` alone may be any.
    var isKey: Bool {
        let ends = { (end: [UInt8]) in letters.suffix(end.count) == end[...] }
        return letters.count > 3 && ends(Array("key".utf8)) && !Self.animalsAndTheLike.contains(where: ends)
    }

    static let loginMembers = set(["salt", "md5", "sha1", "sha256", "sha512"])
    private static let whole = set([
        "sig", "auth", "oauth", "sso", "saml", "mfa", "tfa", "pass", "passcode", "pwd", "pw", "pin", "sid",
        "jwt", "jws", "jwe", "otp", "totp", "hotp", "csrf", "xsrf", "nonce", "ticket", "hash", "hmac", "mac",
        "assertion", "verifier", "viewstate", "relaystate", "clearance", "license", "licence", "psk", "ssn",
        "cred", "creds", "appid",
    ])
    private static let parts = [
        "token", "accesskey", "apikey", "password", "passwd", "passphrase", "secret", "signature", "session",
        "sessid", "credential", "authorization", "bearer", "cookie", "hmac", "csrf", "xsrf", "jsession",
        "privatekey", "signingkey", "licensekey", "passwort", "kennwort", "contrasena", "motdepasse",
        "wachtwoord",
        "accesscode", "authcode", "backupcode", "devicecode", "recoverycode", "resetcode", "securitycode",
        "usercode",
        "verificationcode",
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
func isDigit(_ byte: UInt8) -> Bool { UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte }
func isLetter(_ byte: UInt8) -> Bool { isLower(byte | 0x20) }
