import FoundationEssentials
import HTTP
import StrictJSON

/// The settings of requests to an upstream.
package struct UpstreamSettings: Hashable, Sendable {
    package var url: URL
    /// Parameters for each page; they replace those of `url` with the same names.
    package var query: String
    /// Records to request at once.
    package var pageSize: Int
    /// Maximum number of pages to request; nil for all.
    package var pages: Int?
    /// The body of each page's request; nil for GET.
    package var body: RequestBody?

    package init(
        url: URL, query: String = "", pageSize: Int, pages: Int? = nil, body: RequestBody? = nil
    ) {
        self.url = url
        self.query = query
        self.body = body
        self.pageSize = pageSize
        self.pages = pages
    }
}

extension UpstreamSettings {
    /// `own` first, then those parameters of the settings that have other names.
    package func url(with own: QueryParameters) -> URL {
        var query = own
        query.append(unlessNamed: parameters)
        guard var parts = URLComponents(url: url, resolvingAgainstBaseURL: true) else { return url }
        parts.percentEncodedQuery = query.encoded.isEmpty ? nil : query.encoded
        parts.fragment = nil
        return parts.url ?? url
    }

    package var parameters: QueryParameters {
        var all = QueryParameters(query)
        all.append(unlessNamed: QueryParameters(url.query(percentEncoded: true) ?? ""))
        return all
    }

    /// The address of a next page without the values of the settings' own query, one of which may be a key.
    package func withoutOwnQuery(_ address: String) -> String {
        changingQuery(of: address) { $0.withoutValues(of: parameters) }
    }

    /// Restores the address as upstream gave it.
    package func withOwnQuery(_ address: String) -> String {
        changingQuery(of: address) { $0.withValues(of: parameters) }
    }

    private func changingQuery(
        of address: String, _ change: (QueryParameters) -> QueryParameters
    ) -> String {
        guard let mark = address.firstIndex(of: "?") else { return address }
        let query = address[mark...].dropFirst().prefix { $0 != "#" }
        let before = QueryParameters(String(query))
        let after = change(before)
        return after == before ? address : address[...mark] + after.encoded + address[query.endIndex...]
    }

    /// Whether the page of this number may be requested.
    package func allows(page number: Int) -> Bool { number <= pages ?? FormatLimits.pages }

    /// Records on all pages that may be requested; nil if unlimited, or too many to count.
    package var mostRecords: Int? {
        guard let (product, overflow) = pages?.multipliedReportingOverflow(by: pageSize), !overflow else {
            return nil
        }
        return product
    }
}
