import CommandSupport
import StrictJSON

/// Comma-separated values (RFC 4180) of JSON objects.
///
/// Columns are named after the protocol's members; nested members are joined, as in `name_first`. Null and missing members
/// are empty fields; an empty string is `""`. Text is not escaped against spreadsheet formulas: many telephone numbers begin
/// with `+`, and other readers would have to undo it; spreadsheets should import columns as text. Control characters other
/// than line ends and tabs, which RFC 4180 does not allow (section 2), become U+FFFD, as in vCards.
package struct CSV: Sendable {
    private let columns: [String]
    package let reader: FieldReader
    private let destination: Destination

    package init(columns: [String], destination: Destination) {
        self.columns = columns
        reader = FieldReader(columns)
        self.destination = destination
    }

    package var header: [UInt8] { Array(columns.joined(separator: ",").utf8) + destination.lineEnd }

    /// - Parameter record: from `reader`.
    package func row(_ record: RawRecord, to bytes: inout [UInt8]) {
        for field in record.fields {
            if field > 0 { bytes.append(UInt8(ascii: ",")) }
            guard let value = record[field] else { continue }
            if let plain = plain(value) {
                bytes.append(contentsOf: plain)
            } else {
                bytes.append(contentsOf: self.field(value.text ?? "").utf8)
            }
        }
        bytes.append(contentsOf: destination.lineEnd)
    }

    /// What is written as it is; nil if that has to be looked at.
    private func plain(_ value: RawJSON) -> UnsafeBufferPointer<UInt8>? {
        switch value.kind {
        case .number, .bool: return value.bytes
        case .string:
            guard let content = value.content, !content.isEmpty else { return nil }
            let isPlain = !content.has { bytes in
                // An escape, a separator, a control, or the first byte of one (C1).
                bytes.equal(to: UInt8(ascii: "\\")) | bytes.equal(to: UInt8(ascii: ","))
                    | bytes.less(than: 0x20) | bytes.equal(to: 0x7F) | bytes.equal(to: 0xC2)
            }
            if !isPlain || destination.isTerminal && content.has(\.beyondASCII) { return nil }
            return content
        default: return nil
        }
    }

    private func field(_ raw: String) -> String {
        let text = destination.isTerminal ? destination.text(raw) : raw.withoutControls
        let isPlain = text.utf8.allSatisfy {
            $0 != UInt8(ascii: ",") && $0 != UInt8(ascii: "\"") && $0 != 0x0A && $0 != 0x0D
        }
        if isPlain, !text.isEmpty { return text }
        return "\"" + text.replacing("\"", with: "\"\"") + "\""
    }
}

extension String {
    fileprivate var withoutControls: String {
        // 0xC2 is the first byte of C1 controls in UTF-8.
        guard utf8.contains(where: { $0 < 0x20 || $0 == 0x7F || $0 == 0xC2 }) else { return self }
        var kept = String.UnicodeScalarView()
        for scalar in unicodeScalars {
            switch scalar {
            case "\t", "\n", "\r": kept.append(scalar)
            case "\0"..<" ", "\u{7F}"..<"\u{A0}": kept.append("\u{FFFD}")
            default: kept.append(scalar)
            }
        }
        return String(kept)
    }
}
