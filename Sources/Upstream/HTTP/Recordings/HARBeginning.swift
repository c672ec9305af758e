import Model
import StrictJSON

extension Recording {
    /// Throws if a file does not begin like a recording, or is a bug report. Reads only the part before its
    /// entries.
    package static func lookAtBeginning(of path: String) throws(HARError) {
        func refuse(_ reason: String) -> HARError { HARError(file: path, reason: reason) }
        let bytes: [UInt8]
        do { bytes = try contents(of: path, upTo: HARLimits.beginningBytes) } catch {
            throw refuse(error.reason)
        }
        let text = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes[3...] : bytes[...]
        // Can't be inside a longer string, which would escape the quotes.
        guard let entries = text.firstRange(of: Array(#""entries""#.utf8)),
            // The part before them is parsed as if it were the whole file.
            let comma = text[..<entries.lowerBound].lastIndex(where: { !" \t\r\n".utf8.contains($0) }),
            text[comma] == UInt8(ascii: ","),
            let file = try? JSONValue(
                validating: text[..<comma] + Array("}}".utf8), maximumDepth: HARLimits.depth),
            let log = file["log"], let creator = log["creator"]?["name"]?.string
        else { throw refuse("does not begin like a HAR file") }
        guard creator != "userctl", log["_userd"]?["states"] == nil else {
            throw refuse("is a bug report")
        }
    }
}
