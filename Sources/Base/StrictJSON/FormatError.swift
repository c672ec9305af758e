/// Why an answer is not what its format asks for, and where: `results[17].name.last: missing`.
package struct FormatError: Error, Hashable, CustomStringConvertible {
    package var place: String
    package var reason: String

    package init(place: String = "", _ reason: String) {
        self.place = place
        self.reason = reason
    }

    package var description: String { place.isEmpty ? reason : "\(place): \(reason)" }
}

/// What an upstream can make grow, beside the body itself, which the transport limits.
package enum FormatLimits {
    /// Of one text, in UTF-8.
    package static let textBytes = 65_536
    package static let idBytes = 1024
    package static let records = 100_000
    package static let members = 1000
    package static let pages = 1_000_000
    /// Of objects and lists in one another.
    package static let depth = 32
}
