import CommandSupport
import Model
import StrictJSON
import TerminalViews
import UserdAPI

/// Writes records one by one, so that a list of any length needs no more memory than a page.
struct RecordWriter {
    /// The bytes before the first record, with the total number of records.
    var head: (_ total: Int) -> [UInt8] = { _ in [] }
    /// Appends a record's bytes; none if the format leaves it out.
    let record: (JSONValue, inout [UInt8]) throws -> Void
    /// The bytes after the last record.
    var end: () -> [UInt8] = { [] }

    static func ndjson(_ destination: Destination) -> RecordWriter {
        RecordWriter(record: { $1 += destination.json(jsonLine($0)) })
    }

    static func table(_ columns: [UserColumn], _ output: Console.Output) -> RecordWriter {
        let cells = UserCells(columns)
        var table = UserTable.streamed(columns, output)
        return RecordWriter(record: { table.append(cells.cells(of: $0), to: &$1) }, end: { table.end() })
    }

    static func csv(_ columns: [String], _ destination: Destination) -> RecordWriter {
        let csv = CSV(columns: columns, destination: destination)
        return RecordWriter(head: { _ in csv.header }, record: { csv.row($0, to: &$1) })
    }

    /// - Parameter method: the method whose reply holds the users, for errors.
    static func users(
        of method: String, head: @escaping (_ total: Int) -> [UInt8] = { _ in [] },
        _ write: @escaping (User) -> [UInt8]
    ) -> RecordWriter {
        let reader = UserReader()
        return RecordWriter(
            head: head,
            // Where it is no user, decoding says why.
            record: { $1 += write(try reader.user($0) ?? decoded(User.self, from: $0, replyTo: method)) })
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
