import Model
import StrictJSON

extension Upstream {
    /// Asks for a page with the conditions that are known of it, as long as it would be the same page.
    ///
    /// A 304 is an answer to such a question, whatever it carries. To another it is the mistake of somebody on the way, who
    /// is asked once more, and not to answer from a cache.
    func fetchPage<Record>(
        _ page: PageRequest, of format: UpstreamFormat<Record>, _ settings: UpstreamSettings,
        known: KnownPage?
    ) async throws -> PageAnswer<Record> {
        let url = format.pageURL(settings, page)
        let key = Digest.pageKey(url, format: format.name, settings)
        var request = try request(url)
        let validators = known.flatMap { $0.key == key ? $0.validators : nil }
        if let validators { request.headers.setConditions(validators) }
        return try await attempt(reading: format.answer) {
            try await answer(
                to: request, page, of: format, settings, key: key, isConditional: validators != nil)
        }
    }

    private func answer<Record>(
        to request: HTTPRequest, _ page: PageRequest, of format: UpstreamFormat<Record>,
        _ settings: UpstreamSettings, key: String, isConditional: Bool
    ) async throws -> PageAnswer<Record> {
        var request = request
        var response = try await transport.send(request)
        if response.status == 304 {
            if isConditional { return .unchanged }
            request.headers["Cache-Control"] = "no-cache"
            response = try await transport.send(request)
        }
        var fetched = try read(
            response, to: request, what: "page \(page.number) of ", reading: format.answer,
            complaint: format.complaint
        ) { node throws(FormatError) in
            try format.decodePage(node, settings, page)
        }
        fetched.known = Validators(response).map { KnownPage(key: key, validators: $0) }
        return .page(fetched)
    }
}
