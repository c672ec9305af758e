import Model
import TerminalViews
import UserdAPI

/// A list, fetched page by page and printed whole.
struct Listing<Record: Decodable> {
    let resource: Resource
    let length: LengthOptions
    let format: DocumentFormat
    /// Whether only some of the records are asked for.
    let isFiltered: Bool
    let console: Console

    private static var pageSize: Int { 1000 }

    /// - Parameters:
    ///   - fetch: one page of at most that many records, from a cursor on.
    ///   - table: what is kept of a record for printing, and how that is printed.
    func run<Kept, List>(
        from connection: Connection, keep: (Record) -> Kept, table: ([Kept]) throws -> Void,
        fetch: (_ limit: Int, _ cursor: String?) async throws -> UserdReply<List>
    ) async throws {
        var document = MergedDocument(records: resource.rawValue)
        var kept: [Kept] = []
        var count = 0
        var last: RecordPage?
        repeat {
            let left = length.maximum.map { $0 - count } ?? .max
            let page = try RecordPage(
                try await fetch(min(left, Self.pageSize), last?.next), records: resource.rawValue)
            switch format {
            case .json: try console.write(json: document.add(page))
            case .table: kept += try page.decodedRecords(Record.self).map(keep)
            }
            count += page.count
            last = page
        } while last?.next != nil && count < length.maximum ?? .max
        guard let last else { return }
        switch format {
        case .json: try console.write(json: document.end())
        case .table where kept.isEmpty: break
        case .table: try table(kept)
        }
        report(last, count: count, source: connection.source)
    }

    /// What is to be known about the list, beside its records.
    private func report(_ last: RecordPage, count: Int, source: Connection.Source) {
        var isExplained = false
        if format == .table, count == 0 {
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
