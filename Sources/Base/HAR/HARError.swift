import Model
import StrictJSON

/// Why a file is no recording that can be read: which file, where in it, and what is wrong there.
package struct HARError: Error, Hashable, CustomStringConvertible {
    /// The file's path; nil for bytes that came from elsewhere.
    package var file: String?
    /// `line 3, column 7`, or `log.entries[3].response.status`; empty where it is the whole.
    package var place: String
    package var reason: String

    init(file: String? = nil, place: String = "", reason: String) {
        self.file = file
        self.place = place
        self.reason = reason
    }

    init(_ error: FormatError) {
        self.init(place: error.place, reason: error.reason)
    }

    package var description: String {
        let parts = [file?.shown(upTo: 4096), place.isEmpty ? nil : place.shown(upTo: 1000), reason]
        return parts.compactMap(\.self).joined(separator: ": ")
    }
}

/// What one HAR file may hold: those who write keep to it so that those who read need not refuse.
package enum HARLimits {
    package static let fileBytes = 256 << 20
    /// Of a file, before its entries, where it is to be known as a recording.
    static let beginningBytes = 64 << 10
    package static let entries = 100_000
    /// Of the headers of one message.
    package static let headers = 1000
    /// Of objects and lists in one another: browsers add the call stacks that requests came from.
    static let depth = 512
}
