import Model
import StrictJSON
import TerminalViews
import UserdAPI

/// Writes records one after the other, each by itself, so that a list of any length takes no more memory than its longest page.
package struct RecordWriter {
    /// What comes before the first, with the number of all that fit.
    package let head: (_ total: Int) -> [UInt8]
    /// Nothing for a record that the format has no place for.
    package let record: (JSONValue) async throws -> [UInt8]

    package init(
        head: @escaping (_ total: Int) -> [UInt8] = { _ in [] },
        record: @escaping (JSONValue) async throws -> [UInt8]
    ) {
        self.head = head
        self.record = record
    }

    static func ndjson(_ destination: Destination) -> RecordWriter {
        RecordWriter { record in
            destination.json(jsonLine(record))
        }
    }

    static func csv(_ columns: [String], _ destination: Destination) -> RecordWriter {
        let csv = CSV(columns: columns, destination: destination)
        return RecordWriter(head: { _ in csv.header }, record: csv.row)
    }

    /// - Parameter method: what answers with these users.
    static func users(
        of method: String, head: @escaping (_ total: Int) -> [UInt8] = { _ in [] },
        _ write: @escaping (User) async -> [UInt8]
    ) -> RecordWriter {
        RecordWriter(
            head: head,
            record: { await write(try decoded(User.self, from: $0, replyTo: method)) })
    }
}

/// A value, as it came, on a line of its own.
package func jsonLine(_ value: JSONValue) -> [UInt8] {
    // Outside of strings, where JSON has no newlines, they are white space.
    var line = Array(value.raw)
    if line.contains(UInt8(ascii: "\n")) || line.contains(UInt8(ascii: "\r")) {
        line.removeAll { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }
    }
    line.append(UInt8(ascii: "\n"))
    return line
}
