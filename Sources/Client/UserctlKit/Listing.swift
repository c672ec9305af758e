import Model
import StrictJSON
import TerminalViews
import UserdAPI

/// What becomes of a list's records.
enum ListingForm {
    case table
    /// One JSON document.
    case document
    case records(RecordWriter)

    fileprivate var isTable: Bool { if case .table = self { true } else { false } }
}

/// A list, fetched page by page and printed whole.
struct Listing {
    let resource: Resource
    let length: ListLength
    let form: ListingForm
    /// Whether only some of the records are asked for.
    let isFiltered: Bool
    let console: Console

    private static var pageSize: Int { 1000 }

    /// - Parameters:
    ///   - fetch: one page of at most that many records, from a cursor on.
    ///   - table: what is kept of a record for printing, and how that is printed.
    /// - Returns: how many records had a place in what was printed.
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
            // A page without records leads nowhere, whatever it says.
        } while last?.next != nil && last?.count != 0 && count < length.maximum ?? .max
        guard let last else { return 0 }
        switch form {
        case .document: try console.write(json: document.end())
        case .table where kept.isEmpty: break
        case .table: try table(kept)
        case .records: break
        }
        report(last, count: count, source: connection.source)
        if case .records = form { return printed }
        return count
    }

    /// What is to be known about the list, beside its records.
    private func report(_ last: RecordPage, count: Int, source: Connection.Source) {
        var isExplained = false
        if form.isTable, count == 0 {
            let page = NoRecordsPage(resource: resource, freshness: last.freshness, isFiltered: isFiltered)
            console.explain(page)
            isExplained = page.tellsFreshness && source == .daemon
        }
        if !isExplained { console.note(last.freshness, of: resource, source) }
        if length.limit == nil, last.next != nil, last.total > count {
            console.say("\(grouped(last.total - count)) more: --all prints them all")
        }
    }
}

extension Console {
    /// - Returns: how many of the records the writer had something to write for.
    func write(_ records: [JSONValue], with writer: RecordWriter) async throws -> Int {
        var (bytes, count) = ([UInt8](), 0)
        for record in records {
            let written = try await writer.record(record)
            if !written.isEmpty { count += 1 }
            bytes += written
            // A page of records with pictures is large.
            if bytes.count >= 64 << 10 {
                try output.write(bytes)
                bytes = []
            }
        }
        if !bytes.isEmpty { try output.write(bytes) }
        return count
    }
}
