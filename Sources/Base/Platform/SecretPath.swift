import Glibc

/// The file of a secret. People paste the secret itself in its place, so a text that does not look like a path is not
/// shown: it prints as `<not a path>`.
package struct SecretPath: Hashable, Sendable, CustomStringConvertible, ExpressibleByStringLiteral {
    /// The text that opens the file. It is never shown to people.
    package let text: String
    /// Replaces the file's content; nil for that of the file.
    package let content: [UInt8]?

    package static let hidden = "<not a path>"

    package init(_ text: String) { (self.text, content) = (text, nil) }

    package init(stringLiteral text: String) { self.init(text) }

    /// A secret that was read from standard input.
    package init(content: [UInt8]) { (text, self.content) = ("standard input", content) }

    package var isShown: Bool { isPath(in: ".") }

    /// Whether it looks like a path; otherwise somebody may have put the secret itself there.
    /// - Parameter folder: that of the configuration file.
    package func isPath(in folder: String) -> Bool {
        content != nil || Self.beginsPath(text)
            || !text.isEmpty
                && access(folder + "/" + (text.contains("/") ? parent(of: text) : text), F_OK) == 0
    }

    package static func beginsPath(_ text: String) -> Bool {
        ["/", "~", "./"].contains(where: text.hasPrefix)
    }

    package var description: String { isShown ? text : Self.hidden }
}

/// A secret that a setting names the file of.
package enum SecretKind: String, Sendable, CaseIterable {
    case token = "users.token_file"
    case basic = "users.basic.password_file"
    case password = "users.password_file"
    case clientSecret = "users.oauth.client_secret_file"

    package var setting: String { rawValue }

    package var noun: String {
        switch self {
        case .token: "token"
        case .basic, .password: "password"
        case .clientSecret: "client secret"
        }
    }

    /// The name of its file beside config.yaml, of a credential of the service, and of a drop-in.
    package var file: String { "users-" + noun.replacing(" ", with: "-") }
}
