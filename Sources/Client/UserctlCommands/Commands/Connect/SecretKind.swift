import Model
import Platform

extension SecretKind {
    var isPassword: Bool { noun == "password" }

    /// The kind that userd finds beside config.yaml without a setting.
    init?(_ text: (_ setting: String) -> String?) {
        if text("users.bind_dn") != nil {
            self = .password
        } else if text("users.basic.user") != nil {
            self = .basic
        } else if text("users.oauth.token_url") != nil {
            self = .clientSecret
        } else if text("users.format") == "ldap" || text("users.oauth.issuer") != nil {
            return nil
        } else {
            self = .token
        }
    }

    /// The address that it goes to.
    func target(_ settings: [DiscoveredSetting]) -> String? {
        let own = self == .clientSecret ? ["users.oauth.token_url", "users.oauth.issuer"] : []
        return (own + ["users.url"]).lazy.compactMap { settings.value(of: $0) }.first
    }

    /// The secret in a text without its line end, as userd reads it. Throws why it can't be one.
    func secret(in text: String) throws(WrongAnswer) -> [UInt8] {
        var text = text
        if self == .token {
            text = text.trimmingBlanks()
            if text.lowercased().hasPrefix("bearer ") { text = String(text.dropFirst(7)).trimmingBlanks() }
        }
        let bytes = Array(text.utf8)
        let lowest: UInt8 = self == .token ? 0x21 : 0x20
        if bytes.isEmpty { throw WrongAnswer("the \(noun) is empty") }
        if bytes.count > Console.longestLine { throw WrongAnswer("the \(noun) is longer than 64 KiB") }
        guard bytes.allSatisfy({ $0 >= lowest && $0 != 0x7F && (isPassword || $0 < 0x7F) }),
            !text.unicodeScalars.contains("\u{FFFD}")
        else {
            throw WrongAnswer(
                isPassword
                    ? "that is no password, which is one line of UTF-8 text"
                    : "that is no \(noun), which is one line of visible ASCII characters")
        }
        return bytes
    }
}

/// The reason that an answer is asked for again.
struct WrongAnswer: Error {
    let reason: String

    init(_ reason: String) { self.reason = reason }
}

/// A secret between a person and its file. Its description hides it.
struct GivenSecret: Sendable, CustomStringConvertible {
    let kind: SecretKind
    let text: [UInt8]
    /// Its file.
    let path: String
    /// The address that it is for.
    let origin: String
    /// Whether the file has still to be written.
    var isNew = false
    /// Whether userd's service sees the file only after a drop-in.
    var isHidden = false

    var description: String { "<\(kind.noun)>" }
}
