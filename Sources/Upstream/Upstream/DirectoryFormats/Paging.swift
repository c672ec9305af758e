import FoundationEssentials
import HTTP
import Model
import StrictJSON

/// The parts of an answer that decide on the next page.
struct PageFacts {
    /// Number of records on this page, including those left out.
    var records = 0
    /// The cursor or address of the next page.
    var next: String?
    /// Number of records in the whole list.
    var total: Int?
    /// Whether there is more; nil if the page does not say.
    var more: Bool?
}

/// Requests pages in the style of a format, and finds the next one.
struct Pager: Sendable {
    let paging: DirectoryFormat.Paging

    /// Throws if the address of a next page is on another server.
    func request(_ settings: UpstreamSettings, _ page: PageRequest) throws(UpstreamError) -> HTTPRequest {
        var (own, body) = (QueryParameters(""), settings.body)
        /// Puts a value into the body if its name is a pointer, or else into the address.
        func put(_ name: String, _ value: String, isCursor: Bool = false) {
            guard body != nil, name.hasPrefix("/"), let pointer = try? Pointer(name) else {
                return own.append(name, value)
            }
            body?.put(value, isCursor: isCursor, at: pointer)
        }
        if let size = paging.size { put(size, "\(settings.pageSize)") }
        if [.url, .link].contains(paging.style), let token = page.token {
            return HTTPRequest(json: try settings.nextPage(token), posting: body)
        }
        if let param = paging.param, let value = value(page) {
            put(param, value, isCursor: paging.style == .cursor)
        }
        if let seed = paging.seed, let token = page.token { own.append(seed, token) }
        return HTTPRequest(json: settings.url(with: own), posting: body)
    }

    private func value(_ page: PageRequest) -> String? {
        switch paging.style {
        case .number: "\((Int(paging.first ?? "") ?? 1) + page.number - 1)"
        case .offset: "\((Int(paging.first ?? "") ?? 0) + (page.offset ?? 0))"
        case .cursor: page.token ?? paging.first
        case .none, .url, .link: nil
        }
    }

    /// Why the list ends with this page; nil if it goes on. The page's own statement takes precedence.
    ///
    /// `number` and `offset` end at an empty page, or at a total that is larger than the first page: some
    /// servers report the page's own size as the total, and others answer 404 to the page after the last. A
    /// short page ends nothing.
    func end(after page: PageRequest, _ told: PageFacts, _ settings: UpstreamSettings) -> ListEnd? {
        let hasAll = told.records == 0 && told.total.map { $0 > 0 && page.offset ?? 0 >= $0 } == true
        switch paging.style {
        case .none: return .onePage
        case .cursor, .url, .link:
            return told.more == false ? .noMore : told.next == nil ? .noNext : hasAll ? .total : nil
        case .number, .offset: break
        }
        if told.more == false { return .noMore }
        let goesOn = paging.style == .number || paging.step == .size || told.records > 0
        if goesOn, told.more == true { return nil }
        let offset = offset(after: page, told, settings)
        if told.records == 0 {
            // The server may have left out all records of this page.
            return paging.step == .size && told.total.map { offset < $0 } == true ? nil : .empty
        }
        if paging.seed != nil {
            // An upstream without pages sends everything each time.
            if told.records > settings.pageSize { return .onePage }
        } else if paging.from != nil, told.next == nil {
            return .noNext
        }
        let first = page.firstPageRecords ?? told.records
        return told.total.map { $0 > first && offset >= $0 } == true ? .total : nil
    }

    private func offset(after page: PageRequest, _ told: PageFacts, _ settings: UpstreamSettings) -> Int {
        (page.offset ?? 0) + (paging.step == .size ? settings.pageSize : told.records)
    }

    /// The next page; nil if the list ends.
    func next(after page: PageRequest, _ told: PageFacts, _ settings: UpstreamSettings) -> PageRequest? {
        guard end(after: page, told, settings) == nil else { return nil }
        let offset = offset(after: page, told, settings)
        let isCounted = paging.style == .number || paging.style == .offset
        let token: String? =
            switch paging.style {
            case .url, .link: told.next.map(settings.withoutOwnQuery)
            case .cursor: told.next
            case .number where paging.seed.map { settings.parameters[$0] == nil } == true:
                page.token ?? told.next
            case .none, .number, .offset: nil
            }
        return PageRequest(
            number: page.number + 1, offset: offset, firstPageRecords: page.firstPageRecords ?? told.records,
            token: token, isPastTotal: isCounted ? told.total.flatMap { isPast($0, at: offset) } : nil,
            isCounted: paging.seed == nil
                && (isCounted || token.map { counts($0, to: page.number + 1, after: offset) } == true)
                ? true : nil)
    }

    /// Whether a cursor, or a parameter of an address, is the number of the page or of the records before it.
    private func counts(_ token: String, to number: Int, after offset: Int) -> Bool {
        let counters = [number, offset, offset + 1]
        if paging.style == .cursor { return Int(token).map(counters.contains) == true }
        let query = token.drop { $0 != "?" }.dropFirst().prefix { $0 != "#" }
        return QueryParameters(String(query)).all.contains { name, value in
            let name = name.asciiLowercased
            return name != paging.size?.asciiLowercased
                && !["size", "per", "limit"].contains { name.contains($0) }
                && ["page", "offset", "start", "skip", "index", "from", "first"].contains {
                    name.contains($0)
                }
                && Int(value).map { (counters + [number - 1]).contains($0) } == true
        }
    }

    /// Whether the offset has reached the total; nil if it exceeds the total, which then counts something
    /// else, such as this page.
    private func isPast(_ total: Int, at offset: Int) -> Bool? {
        paging.step == .size ? offset >= total : offset > total ? nil : offset == total
    }
}

extension UpstreamSettings {
    /// Resolves upstream's address of a next page: it may be relative, and must stay on the origin of the settings. A server
    /// behind a TLS proxy may give `http://`.
    fileprivate func nextPage(_ address: String) throws(UpstreamError) -> URL {
        guard address.utf8.count <= 8192,
            let next = URL(httpAddress: withOwnQuery(address), relativeTo: url), let origin = HTTPOrigin(next)
        else {
            throw UpstreamError(.redirect, "\(url.shown) names a next page with an invalid address")
        }
        if origin == HTTPOrigin(url) { return next }
        var secure = URLComponents(url: next, resolvingAgainstBaseURL: true)
        secure?.scheme = "https"
        if let secure = secure?.url, HTTPOrigin(secure) == HTTPOrigin(url) { return secure }
        throw UpstreamError(
            .redirect,
            "\(url.shown) names \(next.shown) as its next page, which is on another server",
            advice: .changeOrigin, about: "\(origin)".shown(upTo: 200))
    }
}
