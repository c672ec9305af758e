import FoundationEssentials
import Model
import StrictJSON

/// Asks for JSON, and gives every answer that holds none its name.
struct Upstream: Sendable {
    var transport: HTTPTransport
    /// Sent to the origin of the address asked, and to no other.
    var bearerToken: @Sendable () throws -> String? = { nil }
    var now: @Sendable () -> Timestamp

    func fetch<Value>(
        _ url: URL, complaint: (JSONValue) -> UpstreamComplaint?,
        decode: (JSONNode) throws(FormatError) -> Value
    ) async throws -> Value {
        try read(try await transport.send(request(url)), from: url, complaint: complaint, decode: decode)
    }

    /// - Parameter what: for messages, such as `page 3 of `.
    func read<Value>(
        _ response: HTTPResponse, from url: URL, what: String = "",
        complaint: (JSONValue) -> UpstreamComplaint?, decode: (JSONNode) throws(FormatError) -> Value
    ) throws -> Value {
        let json = Result { () throws(JSONSyntaxError) in
            try JSONValue(validating: response.body, maximumDepth: FormatLimits.depth)
        }
        let complaint = (try? json.get()).flatMap(complaint)
        if let failure = response.failure(from: url, complaint: complaint, now: now()) { throw failure }
        do {
            return try decode(JSONNode(json.get()))
        } catch let error as JSONSyntaxError {
            throw UpstreamError(
                .decode, "cannot read \(what)\(url.shown): \(unreadable(response.body, error))")
        } catch let error as FormatError {
            throw UpstreamError(.decode, "cannot read \(what)\(url.shown): \(error)")
        }
    }

    func request(_ url: URL) throws -> HTTPRequest {
        var request = HTTPRequest(url: url, headers: ["Accept": "application/json"])
        do {
            request.headers["Authorization"] = try bearerToken().map { "Bearer \($0)" }
        } catch {
            throw UpstreamError(.http, "no bearer token for \(url.shown): \("\(error)".shown(upTo: 200))")
        }
        return request
    }

    /// Tells a page of HTML, and what never was JSON, from JSON gone wrong, whose content is nobody's business.
    private func unreadable(_ body: [UInt8], _ error: JSONSyntaxError) -> String {
        let text = String(decoding: body.prefix(160), as: UTF8.self).trimmingBlanks()
        let isJSON = text.isEmpty || text.hasPrefix("{") || text.hasPrefix("[")
        let quote = isJSON ? "" : "; it begins with '\(text.shown(upTo: 40))'"
        let start = text.asciiLowercased
        if ["<!doctype html", "<html", "<head", "<body"].contains(where: start.hasPrefix) {
            return "not JSON but HTML, as a proxy or the sign-in page of a network sends it\(quote)"
        }
        return "not JSON: \("\(error)".shown(upTo: 200))\(quote)"
    }
}
