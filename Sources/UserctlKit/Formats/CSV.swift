import StrictJSON

/// Comma-separated values (RFC 4180) of JSON objects.
///
/// A column is named as the protocol names the member; a member of a member is named after both, as in `name_first`. Null and what is
/// missing is an empty field; an empty text is `""`. A text is never changed, not even one that spreadsheets would take for a formula:
/// many telephone numbers begin with `+`, and all other readers would have to undo it. Have a spreadsheet import columns as text.
package struct CSV: Sendable {
    private let columns: [String]
    private let destination: Destination

    package init(columns: [String], destination: Destination) {
        self.columns = columns
        self.destination = destination
    }

    package var header: [UInt8] { line(columns) }

    package func row(_ record: JSONValue) -> [UInt8] {
        let fields = record.flattened()
        return line(columns.map { fields[$0].map(field) ?? "" })
    }

    private func line(_ fields: [String]) -> [UInt8] {
        Array(fields.joined(separator: ",").utf8) + destination.lineEnd
    }

    private func field(_ raw: String) -> String {
        let text = destination.text(raw)
        let isPlain = text.utf8.allSatisfy {
            $0 != UInt8(ascii: ",") && $0 != UInt8(ascii: "\"") && $0 != 0x0A && $0 != 0x0D
        }
        if isPlain, !text.isEmpty { return text }
        return "\"" + text.replacing("\"", with: "\"\"") + "\""
    }
}

extension JSONValue {
    /// An object's members, and those of its members, by their names in one: texts without their escapes, all else as it is
    /// written, nulls left out.
    fileprivate func flattened() -> [String: String] {
        var fields: [String: String] = [:]
        func add(_ members: [(name: String, value: JSONValue)], under prefix: String) {
            for (name, value) in members {
                if let members = value.members {
                    add(members, under: prefix + name + "_")
                } else if !value.isNull {
                    fields[prefix + name] = value.string ?? String(decoding: value.raw, as: UTF8.self)
                }
            }
        }
        add(members ?? [], under: "")
        return fields
    }
}
