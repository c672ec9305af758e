/// A fact from upstream; the cache adds when it was first seen.
package struct NewFact: Hashable, Sendable, Identifiable {
    /// Upstream's id, or a digest of the text.
    package var id: String
    package var text: String
    /// The number of characters, counted by userd.
    package var length: Int
}

extension NewFact {
    /// Computes ID and length.
    package init(text: String) {
        self.init(id: Digest.factID(text), text: text, length: text.count)
    }
}
