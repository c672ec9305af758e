import FoundationEssentials
import Model
import StrictJSON

/// Fetches JSON; the error for any other answer says what it is.
struct Upstream: Sendable {
    var transport: HTTPTransport
    /// Sent only to the origin of the requested address.
    var bearerToken: @Sendable () throws -> String? = { nil }
    var token = OwnToken()
    var recorder: Recorder?
    var now: @Sendable () -> Timestamp

    func fetch<Value>(
        _ url: URL, reading declared: JSONDeclaration, complaint: (JSONValue) -> UpstreamComplaint?,
        decode: (JSONNode) throws(FormatError) -> Value
    ) async throws -> Value {
        let request = try request(url)
        return try await attempt(reading: declared) {
            let response = try await transport.send(request)
            return try read(
                response, to: request, reading: declared, complaint: complaint, decode: decode)
        }
    }

    /// Records the exchanges, and removes the token, which an upstream may echo, from failures.
    func attempt<Value>(
        reading declared: JSONDeclaration, _ ask: () async throws -> Value
    ) async throws -> Value {
        try await recorded(by: recorder, reading: .json(declared)) {
            try await withoutToken(token, ask)
        }
    }

    /// - Parameters:
    ///   - what: for messages, such as `page 3 of `.
    ///   - complaint: reads the format's own errors. Those of other formats are read if the status is an error.
    func read<Value>(
        _ response: HTTPResponse, to request: HTTPRequest, what: String = "",
        reading declared: JSONDeclaration,
        complaint: (JSONValue) -> UpstreamComplaint?, decode: (JSONNode) throws(FormatError) -> Value
    ) throws -> Value {
        let json = Result { () throws(JSONSyntaxError) in
            try JSONValue(validating: response.body, maximumDepth: FormatLimits.depth)
        }
        let url = request.url
        let body = try? json.get()
        var complaint = body.flatMap(complaint)
        if complaint == nil, !(200...299 ~= response.status) {
            complaint =
                body.map(UpstreamComplaint.init(anyIn:))
                ?? response.plainText.map(UpstreamComplaint.init(text:))
        }
        // Before the text is shortened, which could cut the token in two.
        if let text = complaint?.text { complaint?.text = token.removed(from: text) }
        if let failure = response.failure(from: url, complaint: complaint, now: now()) { throw failure }
        do {
            return try decode(JSONNode(json.get(), reading: declared))
        } catch let error as JSONSyntaxError {
            let beginning = token.removed(from: response.beginning)
            throw UpstreamError(
                .decode, "cannot read \(what)\(url.shown): \(unreadable(beginning, error))")
        } catch let error as FormatError {
            throw UpstreamError(.decode, "cannot read \(what)\(url.shown): \(error)")
        }
    }

    func request(_ url: URL) throws -> HTTPRequest {
        var request = HTTPRequest(url: url, headers: ["Accept": "application/json"])
        do {
            guard let bearer = try bearerToken() else { return request }
            token.learn(bearer)
            request.headers["Authorization"] = "Bearer \(bearer)"
        } catch {
            throw UpstreamError(
                .http,
                "users.token_file gives no bearer token for \(url.shown): \("\(error)".shown(upTo: 200))")
        }
        return request
    }

    /// Quotes HTML and other text, but not damaged JSON, which may contain personal data.
    private func unreadable(_ body: String, _ error: JSONSyntaxError) -> String {
        let text = body.trimmingBlanks()
        let isJSON = text.isEmpty || text.hasPrefix("{") || text.hasPrefix("[")
        let quote = isJSON ? "" : "; it begins with '\(text.shown(upTo: 40))'"
        let start = text.asciiLowercased
        if ["<!doctype html", "<html", "<head", "<body"].contains(where: start.hasPrefix) {
            return "not JSON but HTML, as a proxy or the sign-in page of a network sends it\(quote)"
        }
        return "not JSON: \("\(error)".shown(upTo: 200))\(quote)"
    }
}

/// Removes the token from the message of a failure.
func withoutToken<Value>(_ token: OwnToken, _ ask: () async throws -> Value) async throws -> Value {
    do { return try await ask() } catch var error as UpstreamError {
        error.failure.message = token.removed(from: error.failure.message)
        throw error
    }
}
