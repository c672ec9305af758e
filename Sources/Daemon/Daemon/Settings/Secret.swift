import Glibc
import Platform

/// A secret from a file. Its description hides it.
struct Secret: Sendable, Equatable, CustomStringConvertible {
    let value: String

    var description: String { "<redacted>" }

    /// The kind of secret, named after the setting of its file.
    enum Use: String, Sendable, CaseIterable {
        /// RFC 6750.
        case token = "users.token_file"
        /// RFC 6749, appendix A.2.
        case clientSecret = "users.oauth.client_secret_file"
        /// RFC 4513, section 5.1.3.
        case password = "users.password_file"
        /// RFC 7617.
        case basic = "users.basic.password_file"
        /// RFC 9110, section 5.5.
        case header = "users.headers"
        /// RFC 7617. No setting names its file.
        case addressBook = "carddav-password"

        /// The setting's value; nil if several files have such secrets, or if no setting names the file.
        var file: (any WritableKeyPath<Settings, SecretPath?> & Sendable)? {
            switch self {
            case .token: return \Settings.users.tokenFile
            case .clientSecret: return \Settings.users.oauth.clientSecretFile
            case .password: return \Settings.users.passwordFile
            case .basic: return \Settings.users.basic.passwordFile
            case .header, .addressBook: return nil
            }
        }

        fileprivate var rule: (characters: ClosedRange<UInt8>, words: String) {
            switch self {
            case .token:
                (
                    0x21...0x7E,
                    "a token, which is made of visible ASCII characters; "
                        + "write it alone, without \"Bearer\" and without spaces"
                )
            case .clientSecret:
                (0x20...0x7E, "a secret, which is one line of ASCII characters; write it alone")
            case .header:
                (0x20...0x7E, "the value of a header, which is one line of ASCII characters; write it alone")
            case .addressBook:
                (0x21...0x7E, "a password, which is made of visible ASCII characters; write it alone")
            case .password, .basic:
                (0x20...0xFF, "a password, which is one line; write it alone")
            }
        }
    }

    static let maximumBytes = 64 << 10

    /// The address book's password: any local user can try guesses.
    private static let shortestPassword = 16

    /// Reads a file that holds only the secret, except for a final newline. `warnings`, one line each, are
    /// for the log. Errors and warnings never quote the file.
    static func read(
        _ use: Use, fromFile path: SecretPath
    ) throws(SettingsError) -> (secret: Self, warnings: [String]) {
        if let content = path.content { return (try Secret(content, use, path), []) }
        guard path.isShown else {
            throw SettingsError(
                use.rawValue,
                "there is no file \(path): this may be the secret itself; write it into a file, and name that"
            )
        }
        guard let file = try regularFile(path.text, upTo: maximumBytes + 1) else {
            throw SettingsError(use.rawValue, "there is no file \(path.excerpt)")
        }
        let secret = try Secret(file.bytes, use, path)
        let isShared = file.mode & 0o077 != 0
        let warning =
            "\(use.rawValue): \(path.excerpt) is accessible to other users; run chmod 600 on it"
        return (secret, isShared ? [warning] : [])
    }

    /// The reason that the file can't be opened; nil if it can.
    static func fault(ofFile path: SecretPath) -> String? {
        guard path.isShown else { return "the value is no path" }
        do throws(SettingsError) {
            return try regularFile(path.text, upTo: 1) == nil ? "there is no file \(path.excerpt)" : nil
        } catch {
            return error.description
        }
    }

    private init(_ bytes: [UInt8], _ use: Use, _ path: SecretPath) throws(SettingsError) {
        func failure(_ reason: String) -> SettingsError {
            SettingsError(use.rawValue, "\(path.excerpt) \(reason)")
        }
        guard bytes.count <= Self.maximumBytes else { throw failure("is larger than 64 KiB") }
        var text = bytes.withoutByteOrderMark
        if text.last == UInt8(ascii: "\n") { text.removeLast() }
        if text.last == UInt8(ascii: "\r") { text.removeLast() }
        if text.isEmpty { throw failure("is empty") }
        if use == .addressBook, text.count < Self.shortestPassword {
            throw failure("is shorter than \(Self.shortestPassword) characters")
        }
        let rule = use.rule
        guard text.allSatisfy(rule.characters.contains) else {
            throw failure("holds more than \(rule.words)")
        }
        guard let value = String(validating: text, as: UTF8.self) else { throw failure("is not UTF-8 text") }
        self.value = value
    }
}

extension SecretPath {
    /// The path that error messages name.
    fileprivate var excerpt: String { content == nil && isShown ? text.excerpt : description }

    /// One line.
    var visible: String { description.visible }
}

/// Nil if the file is missing.
func regularFile(_ path: String, upTo limit: Int) throws(SettingsError) -> RegularFile? {
    do throws(FileError) { return try RegularFile(path, upTo: limit) } catch {
        guard error.isMissing else { throw SettingsError(path.visible, error.description) }
        var status = stat()
        guard lstat(path, &status) != 0 else {
            throw SettingsError(
                path.visible, "is a link to a missing file, or to one outside of the sandbox")
        }
        return nil
    }
}
