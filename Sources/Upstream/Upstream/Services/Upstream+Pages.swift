import HTTP
import Model
import StrictJSON

extension Upstream {
    /// Fetches a page, conditionally if the same page is known. An answer with the same bytes is not read
    /// again.
    ///
    /// A 304 to an unconditional request is the mistake of a cache in between: asks once more, with
    /// `no-cache`.
    func fetchPage<Records>(
        _ page: PageRequest, with reader: PageReader<Records>, known: KnownPage?
    ) async throws -> Page<Records.Record> {
        var request = try reader.request(page)
        let key = reader.key(of: request, now: now())
        request.recordedParameters.subtract(recordedParameters)
        let known = known.flatMap { $0.key == key ? $0 : nil }
        if let known { request.headers.setConditions(known.validators) }
        return try await recorded(by: recorder, reading: .json(reader.kept)) {
            // An upstream may echo secrets.
            try await withRedactedMessages(redactor) {
                try await answer(to: request, page, with: reader, key: key, known: known)
            }
        }
    }

    private func answer<Records>(
        to request: HTTPRequest, _ page: PageRequest, with reader: PageReader<Records>, key: String,
        known: KnownPage?
    ) async throws -> Page<Records.Record> {
        var request = request
        var response = try await send(request)
        if response.status == 304 {
            if let known, known.validators != Validators() { return .unchanged(known) }
            request.headers["Cache-Control"] = "no-cache"
            response = try await send(request)
        }
        if let end = reader.end(response, to: page) { return Page(end: end) }
        let answered = response.status == 200 ? version(of: response, to: page, request, key: key) : nil
        if let answered, answered.digest == known?.digest { return .unchanged(answered) }
        do {
            var fetched = try read(
                response, to: request, what: "page \(page.number) of ", lists: reader.format.lists,
                complaint: reader.complaint
            ) { answer throws(FormatError) in try reader.read(answer, response, to: page) }
            fetched.known = answered
            return fetched
        } catch var error as UpstreamError {
            // An unreadable answer may look like another format.
            if error.failure.kind == .decode, Records.Record.self == User.self,
                let name = knownFormat(of: response.body), name != reader.format.name
            {
                error.failure.advice = Advice(.tryFormat, about: name)
            }
            throw error
        }
    }

    /// Keeps validators only for a GET: conditions do not suit a POST (RFC 9110, section 13.2.1).
    private func version(
        of response: HTTPResponse, to page: PageRequest, _ request: HTTPRequest, key: String
    ) -> KnownPage {
        KnownPage(
            key: key, validators: (request.body == nil ? Validators(response) : nil) ?? Validators(),
            digest: Digest.answer(response, to: page, keeping: request.recordedHeaders))
    }
}

extension PageReader {
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
