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
    /// The same for the same sign-in or secret, also after a restart.
    package let id: String

    package init(kind: Kind, id: String) { (self.kind, self.id) = (kind, id) }
}
