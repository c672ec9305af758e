/// JSON: `Fact` of io.userd.
package struct Fact: Hashable, Sendable, Codable, Identifiable {
    /// A digest of the text, so equal texts are one fact.
    package var id: String
    package var text: String
    /// Number of characters in `text`.
    package var length: Int
    package var firstSeenAt: Timestamp

    package init(id: String, text: String, length: Int, firstSeenAt: Timestamp) {
        (self.id, self.text, self.length, self.firstSeenAt) = (id, text, length, firstSeenAt)
    }

    enum CodingKeys: String, CodingKey {
        case id, text, length
        case firstSeenAt = "first_seen_at"
    }
}
