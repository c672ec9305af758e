import FoundationEssentials
import HTTP
import Model
import StrictJSON

extension FormatProbe<User> {
    /// Requests a SCIM server's `ServiceProviderConfig` (RFC 7643, section 5; RFC 9865, section 3), which is
    /// next to `Users`. If it announces cursors, userd uses them; if it announces sorting, userd asks for
    /// sorted pages.
    ///
    /// Nil for other formats, for an address that does not end in `Users`, and if the configuration sets
    /// `paging`.
    package init?(
        _ format: DirectoryFormat, _ settings: UpstreamSettings, now: @escaping @Sendable () -> Timestamp
    ) {
        let path = settings.url.path(percentEncoded: true)
        guard format.name == "scim", format.paging == (try? DirectoryFormat.named("scim"))?.paging,
            path.hasSuffix("/Users"),
            var parts = URLComponents(url: settings.url, resolvingAgainstBaseURL: true)
        else { return nil }
        parts.percentEncodedPath = path.dropLast("Users".count) + "ServiceProviderConfig"
        (parts.percentEncodedQuery, parts.fragment) = (nil, nil)
        guard let url = parts.url else { return nil }
        var reader = RecordReader()
        let sorts = reader.add(Pointer(path: ["sort", "supported"]))
        let hasCursors = reader.add(Pointer(path: ["pagination", "cursor"]))
        let maxPageSize = reader.add(Pointer(path: ["pagination", "maxPageSize"]))
        self.init(url: url, reader: reader) { config in
            var (format, settings) = (format, settings)
            if config[sorts]?.bool == true, settings.query.isEmpty { settings.query = "sortBy=userName" }
            if config[hasCursors]?.bool == true {
                format.paging = .scimCursors
                if let most = config[maxPageSize]?.int, most > 0 {
                    settings.pageSize = Int(min(most, Int64(settings.pageSize)))
                }
            }
            return (.directory(format, now: now), settings)
        }
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
