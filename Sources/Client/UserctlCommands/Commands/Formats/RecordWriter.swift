import Model
import StrictJSON
import TerminalViews
import UserdAPI

/// Writes records one by one, so that a list of any length needs no more memory than a page.
struct RecordWriter {
    /// The bytes before the first record.
    var head: [UInt8] = []
    /// Reads what `record` is called with.
    var reader = FieldReader([])
    let record: (FieldRecord, inout [UInt8]) throws -> Void
    /// The bytes after the last record.
    var end: () -> [UInt8] = { [] }
    /// Whether the format has left out all records so far.
    var isEmpty: () -> Bool = { false }

    static func ndjson(_ destination: Destination) -> RecordWriter {
        RecordWriter(record: { $1 += destination.json(jsonLine($0.json.raw)) })
    }

    /// - Parameters:
    ///   - columns: nil for the usual ones, except those that are empty for all users.
    ///   - links: whether email addresses are links.
    static func table(
        _ columns: [UserColumn]?, usual: [UserColumn] = UserColumn.usual, hasHeader: Bool,
        links: Bool = false, _ output: Console.Output
    ) -> RecordWriter {
        let cells = UserCells(columns ?? usual)
        var table = StreamedTable(
            .users(columns, usual: usual, links: links), hasHeader: hasHeader, width: output.width,
            colour: output.colour,
            charset: output.charset)
        return RecordWriter(
            reader: cells.reader, record: { table.append(cells.cells(of: $0), to: &$1) },
            end: { table.end() })
    }

    static func csv(_ csv: CSV, hasHeader: Bool) -> RecordWriter {
        RecordWriter(
            head: hasHeader ? csv.header : [], reader: csv.reader, record: { csv.row($0, to: &$1) })
    }

    /// - Parameter method: the method whose reply holds the users, for errors.
    static func users(of method: String, _ write: @escaping (User) -> [UInt8]) -> RecordWriter {
        RecordWriter(
            reader: StoredUserReader.standard.members,
            record: { record, bytes in
                // If it is not a user, decoding says why.
                bytes += write(
                    try StoredUserReader.standard.user(record)
                        ?? decoded(User.self, from: record.json, replyTo: method))
            })
    }

    /// The first line counts the others, so they are kept until the end.
    static func mutt(of method: String, hasHeader: Bool, _ destination: Destination) -> RecordWriter {
        var (lines, count): ([UInt8], Int) = ([], 0)
        let writer = users(of: method) { user in
            for line in Mutt.lines(user, destination) {
                lines += line
                count += 1
            }
            return []
        }
        return RecordWriter(
            reader: writer.reader, record: writer.record,
            end: { (hasHeader ? Mutt.head(count) : []) + lines }, isEmpty: { count == 0 })
    }
}

func jsonLine(_ value: JSONValue) -> [UInt8] { jsonLine(value.raw) }

func jsonLine(_ json: some Collection<UInt8>) -> [UInt8] {
    // JSON's strings have no raw newlines; elsewhere they are white space.
    var line = Array(json)
    line.removeAll { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }
    line.append(UInt8(ascii: "\n"))
    return line
}
