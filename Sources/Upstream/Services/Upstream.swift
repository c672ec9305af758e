import FoundationEssentials
import Model
import StrictJSON

/// Asks for JSON, and gives every answer that holds none its name.
struct Upstream: Sendable {
    var transport: HTTPTransport
    /// Sent to the origin of the address asked, and to no other.
    var bearerToken: @Sendable () throws -> String? = { nil }
    var secrets = SecretMemory()
    var now: @Sendable () -> Timestamp

    func fetch<Value>(
        _ url: URL, complaint: (JSONValue) -> UpstreamComplaint?,
        decode: (JSONNode) throws(FormatError) -> Value
    ) async throws -> Value {
        let request = try request(url)
        return try await keepingSecrets(of: request) {
            let response = try await transport.send(request)
            return try read(response, to: request, complaint: complaint, decode: decode)
        }
    }

    /// What an upstream says, and where it sends us, goes into messages: the token it may have echoed does not.
    func keepingSecrets<Value>(
        of request: HTTPRequest, _ ask: () async throws -> Value
    ) async throws -> Value {
        do { return try await ask() } catch var error as UpstreamError {
            error.failure.message = secrets.learn(from: request).redacted(error.failure.message)
            throw error
        }
    }

    /// - Parameters:
    ///   - what: for messages, such as `page 3 of `.
    ///   - complaint: the format's own. Others are looked for where the status says that there is one.
    func read<Value>(
        _ response: HTTPResponse, to request: HTTPRequest, what: String = "",
        complaint: (JSONValue) -> UpstreamComplaint?, decode: (JSONNode) throws(FormatError) -> Value
    ) throws -> Value {
        let json = Result { () throws(JSONSyntaxError) in
            try JSONValue(validating: response.body, maximumDepth: FormatLimits.depth)
        }
        secrets.learn(from: request, .answer(response))
        // Before it is cut off in the middle of one.
        let redacted = { (text: String) in
            let beginning = HTTPResponse(
                status: response.status, body: Array(response.body.prefix(Self.bytesThatMessagesQuote)))
            let told = Redaction.secrets(in: .answer(beginning))
            return secrets.learn(from: request, told: told).redacted(text)
        }
        let url = request.url
        let body = try? json.get()
        var complaint = body.flatMap(complaint)
        if complaint == nil, !(200...299 ~= response.status) {
            complaint =
                body.map(UpstreamComplaint.init(anyIn:))
                ?? response.plainText.map(UpstreamComplaint.init(text:))
        }
        if let text = complaint?.text { complaint?.text = redacted(text) }
        if let failure = response.failure(from: url, complaint: complaint, now: now()) { throw failure }
        do {
            return try decode(JSONNode(json.get()))
        } catch let error as JSONSyntaxError {
            throw UpstreamError(
                .decode, "cannot read \(what)\(url.shown): \(unreadable(redacted(response.beginning), error))"
            )
        } catch let error as FormatError {
            throw UpstreamError(.decode, "cannot read \(what)\(url.shown): \(error)")
        }
    }

    /// An answer that says a secret and quotes it in what follows is much shorter.
    private static let bytesThatMessagesQuote = 1 << 20

    func request(_ url: URL) throws -> HTTPRequest {
        var request = HTTPRequest(url: url, headers: ["Accept": "application/json"])
        do {
            request.headers["Authorization"] = try bearerToken().map { "Bearer \($0)" }
        } catch {
            throw UpstreamError(
                .http,
                "users.token_file gives no bearer token for \(url.shown): \("\(error)".shown(upTo: 200))")
        }
        return request
    }

    /// Tells a page of HTML, and what never was JSON, from JSON gone wrong, whose content is nobody's business.
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
