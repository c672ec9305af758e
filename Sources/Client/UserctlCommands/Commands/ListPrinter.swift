import Model
import StrictJSON
import TerminalViews
import UserdAPI
import Varlink

enum ListForm {
    case table
    case document
    case records(RecordWriter)
}

extension ListFormat {
    func form(_ columns: [String], hasHeader: Bool = true, _ destination: Destination) -> ListForm {
        switch self {
        case .table: .table
        case .json: .document
        case .ndjson: .records(.ndjson(destination))
        case .csv: .records(.csv(CSV(columns, destination: destination), hasHeader: hasHeader))
        }
    }
}

/// Fetches a list page by page and prints it.
struct ListPrinter {
    let resource: Resource
    let length: ListLength
    let form: ListForm
    /// Prints the number of records instead of them.
    var countsOnly = false
    let isFiltered: Bool
    /// True if userd may have stopped counting: see `SearchLimits`.
    var isSearched = false
    /// Lines about the nearest, if nobody is found.
    var near: () async -> NearLines = { NearLines() }
    /// Counts users of other kinds than those that were asked for; nil if that is not to be said.
    var others: (() async -> String?)?
    let console: Console

    private static let pageSize = 1000

    /// - Parameters:
    ///   - all: reads all pages, of at most `limit` records each; reads none if userd does not answer.
    ///   - fetch: reads a page of at most `limit` records, starting at a cursor.
    /// Throws `Outcome.failed` if a search finds nothing to print, or if nobody has the value of a filter.
    func run<List>(
        from connection: UserdOrCache, table: RecordWriter,
        all: (_ limit: Int, _ page: (RawReply<List>) throws -> VarlinkClient.Next) async throws -> Void,
        fetch: (_ limit: Int, _ cursor: String?) async throws -> RawReply<List>
    ) async throws {
        let writer: RecordWriter? =
            switch form {
            case _ where countsOnly: RecordWriter(record: { _, _ in })
            case .document: nil
            case .table: table
            case .records(let writer): writer
            }
        var document = MergedDocument(records: resource.rawValue)
        var output = console.documentOutput
        var (count, isEmpty) = (0, true)
        var last: ReplyPage?
        var isComplete: Bool {
            // An empty page ends the list, even if it has a cursor.
            guard let last else { return false }
            return last.next == nil || last.isEmpty || count >= length.maximum ?? .max
        }
        func add(_ reply: RawReply<List>) throws {
            let page = try ReplyPage(reply, records: resource.rawValue)
            if !page.isEmpty { isEmpty = false }
            if let writer {
                if last == nil { try console.output.write(writer.head) }
                count += try console.write(list: page.list, with: writer)
            } else {
                try output.write(document.add(page))
                if !length.all { count += page.list.elements?.count ?? 0 }
            }
            last = page
        }
        if length.all {
            try await all(Self.pageSize) {
                try add($0)
                return isComplete ? .stop : .proceed
            }
        }
        while !isComplete {
            try add(try await fetch(min((length.maximum ?? .max) - count, Self.pageSize), last?.next))
        }
        guard let last else { return }
        if countsOnly { try console.output.write("\(length.all ? count : last.total)\n") }
        try console.output.write(writer?.end() ?? [])
        if writer == nil { try output.write(document.end()) }
        if writer?.isEmpty() == true { isEmpty = true }
        if isEmpty, !isFiltered, case .facts = resource { try await connection.states().require([.facts]) }
        let isUnexplained = isEmpty && isFiltered && last.freshness.syncedAt != nil
        let near = isUnexplained ? await near() : NearLines()
        await report(last, near, count: count, isEmpty: isEmpty, source: connection)
        if isEmpty, isSearched || !near.unknown.isEmpty { throw Outcome.failed }
    }

    /// Says on stderr how fresh the list is, and whether it has more records.
    private func report(
        _ last: ReplyPage, _ near: NearLines, count: Int, isEmpty: Bool, source connection: UserdOrCache
    ) async {
        if last.freshness.syncedAt == nil, !console.isQuiet, let words = await connection.notConnected() {
            return console.notice(words)
        }
        let source = connection.source
        var isExplained = false
        var explainsNone = isSearched || !near.unknown.isEmpty
        if case .table = form { explainsNone = true }
        if explainsNone, isEmpty, !console.isQuiet {
            let page = NoRecordsPage(
                resource: resource, freshness: last.freshness, isFiltered: isFiltered, near: near)
            console.explain(page)
            isExplained = page.tellsFreshness && source == .daemon
        }
        if !isExplained { console.note(last.freshness, of: resource, source) }
        if length.limit == nil, !length.all, last.next != nil, last.total > count {
            let left = last.total - count
            let isCounted = !isSearched || last.total <= SearchLimits.countedExactly
            console.notice("\(isCounted ? "" : "at least ")\(grouped(left)) more: --all prints all")
        }
        if !console.isQuiet, let others = await others?() {
            console.notice("and \(others): --kind all shows them")
        }
    }
}

extension Console {
    /// - Returns: the number of records.
    @discardableResult
    func write(list: JSONValue, with writer: RecordWriter) throws -> Int {
        var (bytes, count): ([UInt8], Int) = ([], 0)
        try writer.reader.forEach(in: list) { record in
            count += 1
            try writer.record(record, &bytes)
            // A page of vCards with pictures is large.
            if bytes.count >= 64 << 10 {
                try output.write(bytes)
                bytes.removeAll(keepingCapacity: true)
            }
        }
        if !bytes.isEmpty { try output.write(bytes) }
        return count
    }

    func write(record: JSONValue, with writer: RecordWriter) throws {
        var bytes: [UInt8] = []
        try writer.record(writer.reader.read(record), &bytes)
        try output.write(bytes)
    }
}
