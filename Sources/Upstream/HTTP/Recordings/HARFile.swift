import Model
import Platform
import StrictJSON

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

extension Recording {
    /// Reads a HAR file; refuses a path that is not a regular file.
    package init(file path: String) throws(HARError) {
        do throws(HARError) {
            let bytes = try Self.contents(of: path, upTo: HARLimits.fileBytes + 1)
            guard bytes.count <= HARLimits.fileBytes else {
                throw HARError(reason: "is larger than \(HARLimits.fileBytes >> 20) MiB")
            }
            try self.init(har: bytes)
        } catch {
            throw HARError(file: path, place: error.place, reason: error.reason)
        }
    }

    private static func contents(of path: String, upTo count: Int) throws(HARError) -> [UInt8] {
        do throws(FileError) { return try RegularFile(path, upTo: count).bytes } catch {
            throw HARError(file: path, reason: error.description)
        }
    }

    /// Throws if a file does not begin like a recording, or is a bug report. Reads only the part before its
    /// entries.
    package static func lookAtBeginning(of path: String) throws(HARError) {
        let text = try contents(of: path, upTo: HARLimits.beginningBytes).withoutByteOrderMark
        // Can't be inside a longer string, which would escape the quotes.
        guard let entries = text.firstRange(of: Array(#""entries""#.utf8)),
            // The part before them is parsed as if it were the whole file.
            let comma = text[..<entries.lowerBound].lastIndex(where: { !" \t\r\n".utf8.contains($0) }),
            text[comma] == UInt8(ascii: ","),
            let file = try? JSONValue(
                validating: text[..<comma] + Array("}}".utf8), maximumDepth: HARLimits.depth),
            let log = file["log"], let creator = log["creator"]?["name"]?.string
        else { throw HARError(file: path, reason: "does not begin like a HAR file") }
        guard creator != "userctl", log["_userd"]?["states"] == nil else {
            throw HARError(file: path, reason: "is a bug report")
        }
    }
}
