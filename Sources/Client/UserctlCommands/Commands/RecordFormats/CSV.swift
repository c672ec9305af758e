import Model
import StrictJSON
import UserdAPI

/// Comma-separated values (RFC 4180) of JSON objects.
///
/// Columns are named after the paths of members: that of `name.first` is `name_first`. Null and missing members
/// are empty fields; an empty string is `""`. Text is not escaped against spreadsheet formulas: many telephone numbers begin
/// with `+`, and other readers would have to undo it; spreadsheets should import columns as text. Control characters other
/// than line ends and tabs, which RFC 4180 does not allow (section 2), become U+FFFD, as in vCards.
struct CSV: Sendable {
    private struct Column {
        let title: String
        /// The members that it is made of.
        let paths: [String]
        /// Nil if it is a member itself.
        var text: UserCells.Text?

        init(_ path: String) { (title, paths) = (path.replacing(".", with: "_"), [path]) }

        init(_ column: UserColumn) {
            (title, paths, text) = (column.key, column.sources.map(\.path), column.value)
        }
    }

    private let columns: [Column]
    let reader: FieldReader
    private let destination: Destination

    private init(_ columns: [Column], _ destination: Destination) {
        (self.columns, self.destination) = (columns, destination)
        reader = FieldReader(columns.flatMap(\.paths))
    }

    init(_ paths: [String], destination: Destination) {
        self.init(paths.map(Column.init), destination)
    }

    /// - Parameter columns: those that combine members have one for each, except the mailbox, which is no object in JSON.
    init(_ columns: [UserColumn], destination: Destination) {
        let columns = columns.flatMap { column in
            column == .mailbox ? [Column(column)] : column.fields.map { Column($0.path) }
        }
        self.init(columns, destination)
    }

    var header: [UInt8] {
        Array(columns.map(\.title).joined(separator: ",").utf8) + destination.lineEnd
    }

    /// - Parameter record: from `reader`.
    func row(_ record: FieldRecord, to bytes: inout [UInt8]) {
        var field = 0
        for column in columns {
            if field > 0 { bytes.append(UInt8(ascii: ",")) }
            let first = field
            field += column.paths.count
            if let text = column.text {
                let value = text((first..<field).map { record[$0]?.text }[...])
                if !value.isEmpty { bytes.append(contentsOf: self.field(value).utf8) }
                continue
            }
            guard let value = record[first] else { continue }
            if let content = value.content, !content.isEmpty, !destination.isTerminal,
                content.allSatisfy(isPlain)
            {
                bytes.append(contentsOf: content)
            } else {
                bytes.append(contentsOf: self.field(value.text ?? "").utf8)
            }
        }
        bytes.append(contentsOf: destination.lineEnd)
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

/// False for separators, escapes, controls and the first byte of C1 controls.
private func isPlain(_ byte: UInt8) -> Bool {
    byte >= 0x20 && byte != UInt8(ascii: ",") && byte != UInt8(ascii: "\\") && byte != 0x7F && byte != 0xC2
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

/// The columns of CSV, by the paths of their members.
enum CSVColumns {
    static let user = UserField.all.map(\.path)

    static let fact = ["id", "text", "length", "first_seen_at"]

    static let state = [
        "epoch", "index", "resource", "phase", "since", "cause", "count", "synced_at", "stale",
        "next_sync_at", "progress.done", "progress.total", "failure.kind", "failure.message",
        "failure.retryable", "failure.http_status", "failure.attempts",
    ]
}
