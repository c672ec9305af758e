import HTTP
import Model
import StrictJSON

/// Looks for common signs of further pages where a list ends: without `paging`, or a part of it, the first
/// page would be taken for the whole directory.
struct MoreSigns: Sendable {
    private enum Kind: Sendable {
        case next, flag, total
    }

    private var places: [(kind: Kind, pointer: Pointer, slot: Int)] = []

    private static let objects = [
        "", "/meta", "/pagination", "/paging", "/page", "/info", "/response_metadata",
    ]
    private static let members: [(kind: Kind, names: [String])] = [
        (.next, ["@odata.nextLink", "next", "nextLink", "next_page_url", "next_url", "next_page"]),
        (.next, ["nextPageToken", "next_page_token", "nextCursor", "next_cursor", "nextPage"]),
        (.flag, ["has_more", "hasMore", "more", "more_records", "has_next", "hasNext", "hasNextPage"]),
        (.total, ["total", "totalCount", "total_count", "totalResults", "totalElements", "count"]),
    ]
    private static let links = ["/links/next", "/_links/next", "/links/next/href", "/_links/next/href"]

    /// - Parameter paging: members that it reads itself are not signs.
    init(besides paging: DirectoryFormat.Paging, in reader: inout RecordReader) {
        let known = Set([paging.from, paging.total, paging.more].compactMap(\.?.description))
        func add(_ kind: Kind, _ path: String) {
            guard !known.contains(path), let pointer = try? Pointer(path) else { return }
            places.append((kind, pointer, reader.add(pointer)))
        }
        for link in Self.links { add(.next, link) }
        for object in Self.objects {
            for (kind, names) in Self.members { for name in names { add(kind, "\(object)/\(name)") } }
        }
    }

    /// The clearest sign, and the way to follow it.
    /// - Parameter records: number of records received.
    func found(in answer: JSONRecord?, _ response: HTTPResponse, after records: Int) -> String? {
        if response.headers.nextLink != nil {
            return "a Link header names a next page; paging: {style: link} follows it"
        }
        for (kind, pointer, slot) in places {
            guard let value = answer?[slot] else { continue }
            switch kind {
            case .next:
                // authentik has 0 on the last page.
                guard let next = value.scalar, value.kind != .bool, next != "0" else { continue }
                let isAddress = next.hasPrefix("/") || next.hasPrefix("?") || next.contains("://")
                return isAddress
                    ? "\(pointer) has the address of a next page; paging: {style: url, from: \(pointer)} follows it"
                    : "\(pointer) names a next page; paging: {style: cursor, from: \(pointer), param: …} may request it"
            case .flag:
                guard value.bool == true else { continue }
                return "\(pointer) says that there is more"
            case .total:
                guard let total = value.int, total > records else { continue }
                return "\(pointer) is \(total), but upstream sent \(records)"
            }
        }
        return nil
    }
}
