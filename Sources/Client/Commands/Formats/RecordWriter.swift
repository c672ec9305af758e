import CommandSupport
import Model
import StrictJSON
import TerminalViews
import UserdAPI

/// Writes records one by one, so that a list of any length needs no more memory than a page.
struct RecordWriter {
    /// The bytes before the first record.
    var head: [UInt8] = []
    /// Appends a record's bytes.
    let record: (JSONValue, inout [UInt8]) throws -> Void
    /// The bytes after the last record.
    var end: () -> [UInt8] = { [] }
    /// Whether the format has left out all records so far.
    var isEmpty: () -> Bool = { false }

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
        return RecordWriter(head: csv.header, record: { csv.row($0, to: &$1) })
    }

    /// - Parameter method: the method whose reply holds the users, for errors.
    static func users(of method: String, _ write: @escaping (User) -> [UInt8]) -> RecordWriter {
        let reader = UserReader()
        return RecordWriter(
            // Where it is no user, decoding says why.
            record: { $1 += write(try reader.user($0) ?? decoded(User.self, from: $0, replyTo: method)) })
    }

    /// The first line counts the others, so they are kept until the end.
    static func mutt(of method: String, _ destination: Destination) -> RecordWriter {
        var (lines, count): ([UInt8], Int) = ([], 0)
        let reader = users(of: method) { user in
            for line in Mutt.lines(user, destination) {
                lines += line
                count += 1
            }
            return []
        }
        return RecordWriter(
            record: reader.record, end: { Mutt.head(count) + lines }, isEmpty: { count == 0 })
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
