import HTTP
import Model
import StrictJSON

extension Upstream {
    /// Fetches a page, conditionally if the same page is known. An answer with the same bytes is not read
    /// again.
    ///
    /// A 304 to an unconditional request is the mistake of a cache in between: asks once more, with
    /// `no-cache`.
    func fetchPage<Record>(
        _ page: PageRequest, of format: UpstreamFormat<Record>, _ settings: UpstreamSettings,
        known: KnownPage?
    ) async throws -> PageAnswer<Record> {
        var request = try format.request(settings, page)
        let day = format.agesDependOnToday ? String(now().description.prefix(10)) : nil
        let key = Digest.pageKey(request, format: format.name + format.fingerprint, settings, on: day)
        request.recordedParameters = Set(format.parameters).subtracting(recordedParameters)
        request.recordedHeaders = format.headers
        let known = known.flatMap { $0.key == key ? $0 : nil }
        if let known { request.headers.setConditions(known.validators) }
        return try await attempt(keeping: format.kept) {
            try await answer(to: request, page, of: format, settings, key: key, known: known)
        }
    }

    private func answer<Record>(
        to request: HTTPRequest, _ page: PageRequest, of format: UpstreamFormat<Record>,
        _ settings: UpstreamSettings, key: String, known: KnownPage?
    ) async throws -> PageAnswer<Record> {
        var request = request
        var response = try await send(request)
        if response.status == 304 {
            if let known, known.validators != Validators() { return .unchanged(known) }
            request.headers["Cache-Control"] = "no-cache"
            response = try await send(request)
        }
        if let end = format.end(response, to: page) { return .page(DecodedPage(records: [], end: end)) }
        let answered = response.status == 200 ? version(of: response, to: page, request, key: key) : nil
        if let answered, answered.digest == known?.digest { return .unchanged(answered) }
        var fetched = try naming(format, of: response) {
            try read(
                response, to: request, what: "page \(page.number) of ", lists: format.lists,
                complaint: format.complaint
            ) { answer throws(FormatError) in try format.decodePage(answer, response, settings, page) }
        }
        fetched.known = answered
        return .page(fetched)
    }

    /// Keeps validators only for a GET: conditions do not suit a POST (RFC 9110, section 13.2.1).
    private func version(
        of response: HTTPResponse, to page: PageRequest, _ request: HTTPRequest, key: String
    ) -> KnownPage {
        KnownPage(
            key: key, validators: (request.body == nil ? Validators(response) : nil) ?? Validators(),
            digest: Digest.answer(response, to: page, keeping: request.recordedHeaders))
    }

    /// Adds advice to the error for an unreadable answer that looks like another format.
    private func naming<Record>(
        _ format: UpstreamFormat<Record>, of response: HTTPResponse, _ read: () throws -> DecodedPage<Record>
    ) throws -> DecodedPage<Record> {
        do { return try read() } catch var error as UpstreamError {
            if error.failure.kind == .decode, Record.self == User.self,
                let body = try? JSONValue(upstream: response.body),
                let name = knownFormat(of: body), name != format.name
            {
                error.failure.advice = Advice(.tryFormat, about: name)
            }
            throw error
        }
    }
}

extension UpstreamFormat {
    /// Recognises how servers say that a page does not exist: it would follow the last page, or the list is
    /// empty.
    fileprivate func end(_ response: HTTPResponse, to page: PageRequest) -> ListEnd? {
        // userd counted up to this page; the server did not name it.
        let isCounted = page.token == nil && requiresConsistentPages
        if response.status == 204, page.token == nil { return .empty }
        let isThere =
            switch response.status {
            case 204: false
            case 200: page.number == 1 || !response.isBlank
            case 404, 416: !(page.isPastTotal ?? isCounted) || page.number == 1
            case 400: page.isPastTotal != true
            default: true
            }
        return isThere ? nil : .notThere(response.status)
    }
}
