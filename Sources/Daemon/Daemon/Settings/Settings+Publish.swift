import Model

extension Settings {
    /// userctl reads these; userd only checks them.
    struct Publish: Sendable {
        /// Nil for persons.
        var kinds: [UserKind]?
    }
}

extension Setting {
    static let publish: [Setting] = [
        Setting(
            "publish.kinds", \.publish.kinds, .publishedKinds, default: "person",
            "The kinds of users that userctl publish writes besides persons, in a member of their own"
        )
    ]
}
