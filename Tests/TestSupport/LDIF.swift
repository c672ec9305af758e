import Foundation

/// LDIF (RFC 2849), for tests.
package enum LDIF {
    package typealias Entry = (dn: String, attributes: [(name: String, value: [UInt8])])

    /// The entries of a dump, without anything else in it.
    package static func entries(_ text: String) -> [Entry] {
        var entries: [Entry] = []
        for block in text.replacing("\r\n", with: "\n").split(separator: "\n\n") {
            var attributes: [(name: String, value: [UInt8])] = []
            let lines = block.split(separator: "\n").filter { !$0.hasPrefix("#") }.joined(separator: "\n")
            for line in lines.replacing("\n ", with: "").split(separator: "\n") {
                guard let colon = line.firstIndex(of: ":") else { continue }
                let value = line[line.index(after: colon)...]
                let bytes: [UInt8] =
                    value.hasPrefix(":")
                    ? Data(base64Encoded: value.dropFirst().trimmingCharacters(in: .whitespaces)).map(
                        Array.init) ?? []
                    : Array(value.drop { $0 == " " }.utf8)
                attributes.append((String(line[..<colon]), bytes))
            }
            guard let dn = attributes.first, dn.name == "dn" else { continue }
            entries.append((String(decoding: dn.value, as: UTF8.self), Array(attributes.dropFirst())))
        }
        return entries
    }

    /// An entry's lines: values that are not plain in base64, lines folded as slapcat does.
    package static func text(_ dn: String, _ attributes: [(String, [UInt8])]) -> String {
        (line("dn", Array(dn.utf8)) + attributes.map { line($0.0, $0.1) }.joined()) + "\n"
    }

    private static func line(_ name: String, _ value: [UInt8]) -> String {
        let isPlain = value.allSatisfy { 0x20...0x7E ~= $0 } && value.first != 0x20 && value.last != 0x20
        let line =
            isPlain
            ? "\(name): \(String(decoding: value, as: UTF8.self))"
            : "\(name):: \(Data(value).base64EncodedString())"
        // Splits bytes, which are ASCII: faster than characters for photos.
        let bytes = Array(line.utf8)
        var text = String(decoding: bytes.prefix(76), as: UTF8.self)
        for start in stride(from: 76, to: bytes.count, by: 75) {
            text += "\n " + String(decoding: bytes[start..<min(start + 75, bytes.count)], as: UTF8.self)
        }
        return text + "\n"
    }
}
