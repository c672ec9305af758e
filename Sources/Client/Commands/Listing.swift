import CommandSupport
import Model
import StrictJSON
import TerminalViews
import UserdAPI

/// How a list is printed.
enum ListingForm {
    case table
    /// One JSON document.
    case document
    case records(RecordWriter)
}

extension ListFormat {
    func form(_ columns: [String], _ destination: Destination) -> ListingForm {
        switch self {
        case .table: .table
        case .json: .document
        case .ndjson: .records(.ndjson(destination))
        case .csv: .records(.csv(columns, destination))
        }
    }
}

/// Fetches a list page by page and prints it.
struct Listing {
    let resource: Resource
    let length: ListLength
    let form: ListingForm
    /// Whether the query has a filter.
    let isFiltered: Bool
    /// Whether userd may have stopped counting: see `SearchLimits`.
    var isSearched = false
    let console: Console

    private static var pageSize: Int { 1000 }

    /// - Parameters:
    ///   - keep: what the table needs of a record.
    ///   - table: prints the kept records.
    ///   - fetch: reads a page of at most `limit` records, starting at a cursor.
    /// - Returns: the number of records that a writer has printed; some formats leave records out.
    @discardableResult
    func run<Kept, List>(
        from connection: Connection, keep: (JSONValue) throws -> Kept, table: ([Kept]) throws -> Void,
        fetch: (_ limit: Int, _ cursor: String?) async throws -> RawReply<List>
    ) async throws -> Int {
        var document = MergedDocument(records: resource.rawValue)
        var kept: [Kept] = []
        var (count, printed) = (0, 0)
        var last: RecordPage?
        repeat {
            let left = length.maximum.map { $0 - count } ?? .max
            let page = try RecordPage(
                try await fetch(min(left, Self.pageSize), last?.next), records: resource.rawValue)
            switch form {
            case .document: try console.write(json: document.add(page))
            case .table: kept += try page.elements.map(keep)
            case .records(let writer):
                if last == nil { try console.output.write(writer.head(page.total)) }
                printed += try await console.write(page.elements, with: writer)
            }
            count += page.count
            last = page
            // An empty page ends the list, even if it has a cursor.
        } while last?.next != nil && last?.count != 0 && count < length.maximum ?? .max
        guard let last else { return 0 }
        switch form {
        case .document: try console.write(json: document.end())
        case .table: if !kept.isEmpty { try table(kept) }
        case .records: break
        }
        report(last, count: count, source: connection.source)
        return printed
    }

    /// Says on stderr how fresh the list is, and whether it has more records.
    private func report(_ last: RecordPage, count: Int, source: Connection.Source) {
        var isExplained = false
        if case .table = form, count == 0 {
            let page = NoRecordsPage(resource: resource, freshness: last.freshness, isFiltered: isFiltered)
            console.explain(page)
            isExplained = page.tellsFreshness && source == .daemon
        }
        if !isExplained { console.note(last.freshness, of: resource, source) }
        if length.limit == nil, last.next != nil, last.total > count {
            let left = last.total - count
            let isCounted = !isSearched || last.total <= SearchLimits.countedExactly
            console.say("\(isCounted ? "" : "at least ")\(grouped(left)) more: --all prints all")
        }
    }
}

extension Console {
    /// - Returns: the number of records that the format did not leave out.
    func write(_ records: [JSONValue], with writer: RecordWriter) async throws -> Int {
        var (bytes, count) = ([UInt8](), 0)
        for record in records {
            let written = try await writer.record(record)
            if !written.isEmpty { count += 1 }
            bytes += written
            // A page of vCards with pictures is large.
            if bytes.count >= 64 << 10 {
                try output.write(bytes)
                bytes = []
            }
        }
        if !bytes.isEmpty { try output.write(bytes) }
        return count
    }
}
