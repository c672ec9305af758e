import FoundationEssentials
import HTTP
import Model
import StrictJSON

/// How one kind of upstream lists its records. A further kind is one more value of this type, in a file of its own.
package struct UpstreamFormat<Record: Sendable>: Sendable {
    package var name: String
    /// Part of the key of a page: what else its records depend on.
    package var fingerprint: String
    /// As directories have it: a total that is not reached, a next page that came before and two pages in a row without a new
    /// record fail the sync.
    package var requiresConsistentPages: Bool
    /// Records have ages by the day on which they are read.
    package var agesDependOnToday: Bool
    /// What of an answer is read.
    package var reader: RecordReader
    /// Where the list of records is, of which the first that leads to one counts.
    package var lists: [Pointer]
    /// Query parameters that choose pages and records; their values are recorded.
    package var parameters: [String]
    /// The request of a page, but for who asks.
    package var request: Request
    /// The page that an answer holds.
    package var decodePage: DecodePage
    /// Reads an error in this format; nil if the answer is a page. Independent of the status.
    package var complaint: @Sendable (JSONValue) -> UpstreamComplaint?

    package typealias Request = @Sendable (UpstreamSettings, PageRequest) throws(UpstreamError) -> HTTPRequest
    package typealias DecodePage =
        @Sendable (JSONValue, HTTPResponse, UpstreamSettings, PageRequest) throws(FormatError) -> DecodedPage<
            Record
        >

    package init(
        name: String, fingerprint: String = "", requiresConsistentPages: Bool = false,
        agesDependOnToday: Bool = false,
        reader: RecordReader, lists: [Pointer] = [],
        parameters: [String], request: @escaping Request, decodePage: @escaping DecodePage,
        complaint: @escaping @Sendable (JSONValue) -> UpstreamComplaint?
    ) {
        self.name = name
        self.fingerprint = fingerprint
        self.requiresConsistentPages = requiresConsistentPages
        self.agesDependOnToday = agesDependOnToday
        self.reader = reader
        self.lists = lists
        self.parameters = parameters
        self.request = request
        self.decodePage = decodePage
        self.complaint = complaint
    }
}

/// What is asked of an upstream.
package struct UpstreamSettings: Hashable, Sendable {
    package var url: URL
    /// Parameters for each page; they replace those of `url` with the same names.
    package var query: String
    /// Records to ask for at once.
    package var pageSize: Int
    /// Pages to ask for at most; nil for as many as there are.
    package var pages: Int?
    /// For each page; nil: they are asked for by GET.
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

    /// The address of a next page without the values of the settings' own query, in which there may be a key.
    package func withoutOwnQuery(_ address: String) -> String {
        changingQuery(of: address) { $0.withoutValues(of: parameters) }
    }

    /// The same address as upstream gave it.
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

    /// Whether a page of that number may be asked for.
    package func allows(page number: Int) -> Bool { number <= pages ?? FormatLimits.pages }

    /// On all pages that may be asked for; nil if unlimited, or too many to count.
    package var mostRecords: Int? {
        guard let (product, overflow) = pages?.multipliedReportingOverflow(by: pageSize), !overflow else {
            return nil
        }
        return product
    }
}
