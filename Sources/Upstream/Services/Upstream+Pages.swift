import Model
import StrictJSON

extension Upstream {
    /// Fetches a page, conditionally if the same page is known.
    ///
    /// A 304 to an unconditional request is the mistake of a cache on the way: asks once more, with `no-cache`.
    func fetchPage<Record>(
        _ page: PageRequest, of format: UpstreamFormat<Record>, _ settings: UpstreamSettings,
        known: KnownPage?
    ) async throws -> PageAnswer<Record> {
        let url = try format.pageURL(settings, page)
        let key = Digest.pageKey(url, format: format.name + format.fingerprint, settings)
        var request = request(url)
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
        var response = try await send(request)
        if response.status == 304 {
            if isConditional { return .unchanged }
            request.headers["Cache-Control"] = "no-cache"
            response = try await send(request)
        }
        var fetched = try read(
            response, to: request, what: "page \(page.number) of ", reading: format.answer,
            complaint: format.complaint
        ) { node throws(FormatError) in
            try format.decodePage(node, response, settings, page)
        }
        // What was left out of a page is not cached with it.
        guard fetched.leftOut.isEmpty else { return .page(fetched) }
        fetched.known = Validators(response).map { KnownPage(key: key, validators: $0) }
        return .page(fetched)
    }
}
