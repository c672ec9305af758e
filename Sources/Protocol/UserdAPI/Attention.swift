import StrictJSON

/// The mark that userd leaves beside its cache, for userctl to show in a notification: a person has to do something before users
/// are synced again. It names nobody, because the notification is seen on locked screens.
package struct Attention: Hashable, Sendable, Codable {
    package enum Kind: String, Sendable, Codable {
        /// The person's sign-in has ended.
        case signIn
        /// A secret in the person's own folder is refused.
        case secret
    }

    /// The file's name, in the folder of the cache.
    package static let fileName = "attention"

    package let kind: Kind
    /// The same as long as the mark stays, also after a restart.
    package let id: String

    package init(kind: Kind, id: String) { (self.kind, self.id) = (kind, id) }

    /// Nil for what this version does not know.
    package init?(_ bytes: [UInt8]) {
        guard bytes.count <= 10_000, let json = try? JSONValue(validating: bytes, maximumDepth: 8),
            let mark = try? json.decode(Attention.self), !mark.id.isEmpty
        else { return nil }
        self = mark
    }
}
