import FoundationEssentials
import StrictJSON

/// A SCIM server's `ServiceProviderConfig` (RFC 7643, section 5; RFC 9865, section 3), which is next to
/// `Users`. It is requested before the first page: if it announces cursors, userd uses them; if it announces
/// sorting, userd asks for sorted pages.
package struct ServiceProviderConfig: Sendable {
    package let url: URL
    package private(set) var reader = RecordReader()
    private let sorts: Int
    private let hasCursors: Int
    private let maxPageSize: Int

    /// Nil for other formats, for an address that does not end in `Users`, and if the configuration sets
    /// `paging`.
    package init?(of pages: PageReader<UpstreamUserReader>) {
        let (format, settings) = (pages.format, pages.settings)
        let path = settings.url.path(percentEncoded: true)
        guard format.name == "scim", format.paging == (try? DirectoryFormat.named("scim"))?.paging,
            path.hasSuffix("/Users"),
            var parts = URLComponents(url: settings.url, resolvingAgainstBaseURL: true)
        else { return nil }
        parts.percentEncodedPath = path.dropLast("Users".count) + "ServiceProviderConfig"
        (parts.percentEncodedQuery, parts.fragment) = (nil, nil)
        guard let url = parts.url else { return nil }
        self.url = url
        sorts = reader.add(Pointer(path: ["sort", "supported"]))
        hasCursors = reader.add(Pointer(path: ["pagination", "cursor"]))
        maxPageSize = reader.add(Pointer(path: ["pagination", "maxPageSize"]))
    }

    /// Requests pages as this answer says.
    package func adapted(
        _ pages: PageReader<UpstreamUserReader>, by answer: JSONValue
    ) -> PageReader<UpstreamUserReader> {
        let config = reader.read(answer)
        var (format, settings) = (pages.format, pages.settings)
        if config[sorts]?.bool == true, settings.query.isEmpty { settings.query = "sortBy=userName" }
        if config[hasCursors]?.bool == true {
            format.paging = .scimCursors
            if let most = config[maxPageSize]?.int, most > 0 {
                settings.pageSize = Int(min(most, Int64(settings.pageSize)))
            }
        }
        return PageReader(format, settings, pages.records)
    }
}

extension DirectoryFormat.Paging {
    /// RFC 9865, section 2.
    fileprivate static let scimCursors: Self = {
        var paging = Self()
        (paging.style, paging.param, paging.first, paging.size) = (.cursor, "cursor", "", "count")
        paging.from = Pointer(path: ["nextCursor"])
        paging.total = Pointer(path: ["totalResults"])
        return paging
    }()
}
