import Model

/// The reason why a file cannot be read as a recording.
package struct HARError: Error, Hashable, CustomStringConvertible {
    /// The file's path; nil for bytes that came from elsewhere.
    package var file: String?
    /// `line 3, column 7`, or `log.entries[3].response.status`; empty for the whole file.
    package var place = ""
    package var reason: String

    package var description: String {
        let parts = [file?.shown(upTo: 4096), place.isEmpty ? nil : place.shown(upTo: 1000), reason]
        return parts.compactMap(\.self).joined(separator: ": ")
    }
}

/// Limits of a HAR file, for the reader and the writer.
package enum HARLimits {
    package static let fileBytes = 256 << 20
    /// Bytes before the entries.
    static let beginningBytes = 64 << 10
    package static let entries = 100_000
    /// Maximum number of headers of one message.
    package static let headers = 1000
    /// Nesting of objects and lists: browsers add call stacks.
    static let depth = 512
}
