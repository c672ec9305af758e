/// A difference between an answer and its format, with its place: `results[17].name.last: missing`.
package struct FormatError: Error, Hashable, CustomStringConvertible {
    package var place: String
    package var reason: String
    /// The setting that may be wrong.
    package var setting: String?

    package init(place: String = "", _ reason: String, setting: String? = nil) {
        (self.place, self.reason, self.setting) = (place, reason, setting)
    }

    package var description: String { place.isEmpty ? reason : "\(place): \(reason)" }
}

/// Limits on the answers of an upstream, in addition to the transport's limit on the body.
package enum FormatLimits {
    /// Maximum size of one text, in UTF-8.
    package static let textBytes = 65_536
    package static let idBytes = 1024
    package static let members = 1000
    package static let pages = 1_000_000
    /// Maximum nesting of objects and lists in a body and in a message.
    package static let depth = 32
    /// The same in an answer.
    package static let answerDepth = 512
}
