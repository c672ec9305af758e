import CommandSupport
import Model
import StrictJSON
import UserdAPI

/// Writes records one by one, so that a list of any length needs no more memory than a page.
struct RecordWriter {
    /// The bytes before the first record, with the total number of records.
    var head: (_ total: Int) -> [UInt8] = { _ in [] }
    /// The bytes of a record; empty if the format leaves it out.
    let record: (JSONValue) async throws -> [UInt8]

    static func ndjson(_ destination: Destination) -> RecordWriter {
        RecordWriter(record: { destination.json(jsonLine($0)) })
    }

    static func csv(_ columns: [String], _ destination: Destination) -> RecordWriter {
        let csv = CSV(columns: columns, destination: destination)
        return RecordWriter(head: { _ in csv.header }, record: csv.row)
    }

    /// - Parameter method: the method whose reply holds the users, for errors.
    static func users(
        of method: String, head: @escaping (_ total: Int) -> [UInt8] = { _ in [] },
        _ write: @escaping (User) async -> [UInt8]
    ) -> RecordWriter {
        RecordWriter(head: head, record: { await write(try decoded(User.self, from: $0, replyTo: method)) })
    }
}

/// A raw JSON value on one line.
func jsonLine(_ value: JSONValue) -> [UInt8] {
    // JSON's strings have no raw newlines; elsewhere they are white space.
    var line = Array(value.raw)
    line.removeAll { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }
    line.append(UInt8(ascii: "\n"))
    return line
}
