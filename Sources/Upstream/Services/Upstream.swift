import DirectoryFormats
import FoundationEssentials
import HTTP
import Model
import Recordings
import StrictJSON

/// Fetches JSON; the error for any other answer says what came instead.
package struct Upstream: Sendable {
    var transport: HTTPTransport
    /// Secrets that are sent only to the origin of the requested address.
    var authorization = Authorization.none
    var redactor = SecretRedactor()
    var recorder: Recorder?
    var now: @Sendable () -> Timestamp

    func fetch<Value>(
        _ url: URL, reading reader: RecordReader, complaint: (JSONValue) -> UpstreamComplaint?,
        decode: (JSONValue) throws(FormatError) -> Value
    ) async throws -> Value {
        let request = HTTPRequest(json: url)
        return try await attempt(reading: reader) {
            let response = try await send(request)
            return try read(
                response, to: request, complaint: complaint, decode: decode)
        }
    }

    /// Records the exchanges, and removes secrets, which an upstream may echo, from failures.
    func attempt<Value>(
        reading reader: RecordReader, _ ask: () async throws -> Value
    ) async throws -> Value {
        try await recorded(by: recorder, reading: .json(reader)) {
            try await withRedactedMessages(redactor, ask)
        }
    }

    /// - Parameters:
    ///   - what: for messages, such as `page 3 of `.
    ///   - lists: pointers to the records, to name one that can't be read.
    ///   - complaint: reads the format's own errors. Errors in other formats are read if the status is an
    ///     error.
    func read<Value>(
        _ response: HTTPResponse, to request: HTTPRequest, what: String = "",
        lists: [Pointer] = [], complaint: (JSONValue) -> UpstreamComplaint?,
        decode: (JSONValue) throws(FormatError) -> Value
    ) throws -> Value {
        let json = Result { () throws(JSONSyntaxError) in try JSONValue(upstream: response.body) }
        let url = response.url ?? request.url
        let body = try? json.get()
        var complaint = body.flatMap(complaint)
        if complaint == nil, !(200...299 ~= response.status) {
            complaint =
                body.map(UpstreamComplaint.init(anyIn:))
                ?? response.plainText.map(UpstreamComplaint.init(text:))
        }
        if complaint == nil, body == nil { complaint = response.lastWords }
        // Before the text is shortened, which could cut a secret in two.
        if let text = complaint?.text { complaint?.text = redactor.removed(from: text) }
        if let failure = response.failure(from: url, complaint: complaint, now: now()) { throw failure }
        do {
            return try decode(json.get())
        } catch let error as JSONSyntaxError {
            let beginning = redactor.removed(from: response.beginning)
            throw UpstreamError(
                .decode, "cannot read \(what)\(url.shown): \(unreadable(beginning, error, lists))")
        } catch let error as FormatError {
            throw UpstreamError(.decode, "cannot read \(what)\(url.shown): \(error)")
        }
    }

    /// Sends the token. If upstream refuses it, sends another once, if there is one.
    func send(_ request: HTTPRequest) async throws -> HTTPResponse {
        let token = try await authorization.token(nil)
        let response = try await send(request, with: token)
        // Another origin did not get the token.
        guard response.status == 401, let token, response.isFromOrigin(of: request.url) else {
            return response
        }
        let other = try await authorization.token(token)
        guard let other, other != token else { return response }
        // A replay uses no tokens, so it asks only once.
        leaveOutOfRecording()
        return try await send(request, with: other)
    }

    private func send(_ request: HTTPRequest, with token: String?) async throws -> HTTPResponse {
        var request = request
        let secrets = try authorization.headers()
        if let token {
            self.redactor.learn(token)
            request.headers["Authorization"] = "\(authorization.scheme) \(token)"
        }
        for field in secrets.fields { request.headers[field.name] = field.value }
        let secret =
            token != nil
            ? "the \(Authorization.noun(authorization.scheme))"
            : secrets.fields.first.map { "the header \($0.name)" }
        guard let what = secret ?? (request.body == nil ? nil : "users.body") else {
            return try await transport.send(request)
        }
        guard request.url.keepsSecrets else {
            throw UpstreamError(
                .credentials,
                "\(what) is not sent to \(request.url.shown), because the connection is not encrypted",
                advice: .useHTTPS)
        }
        return try await transport.send(request)
    }

    /// Quotes HTML and other text, but not damaged JSON, which may contain personal data.
    private func unreadable(_ body: String, _ error: JSONSyntaxError, _ lists: [Pointer]) -> String {
        let text = body.trimmingBlanks()
        let isJSON = text.isEmpty || text.hasPrefix("{") || text.hasPrefix("[")
        let quote = isJSON ? "" : "; it begins with '\(text.shown(upTo: 40))'"
        let start = text.asciiLowercased
        if ["<!doctype html", "<html", "<head", "<body"].contains(where: start.hasPrefix) {
            return "not JSON but HTML, perhaps from a proxy or a network's sign-in page\(quote)"
        }
        let place = error.place.told(lists).shown(upTo: 200)
        return "not JSON: \(place.isEmpty ? "" : "\(place): ")\("\(error)".shown(upTo: 200))\(quote)"
    }
}

extension JSONPlace {
    /// `record 37: /emails/0` inside one of these lists, or else a pointer.
    fileprivate func told(_ lists: [Pointer]) -> String {
        for list in lists where steps.count > list.steps.count {
            let (path, rest) = (steps.prefix(list.steps.count), steps.dropFirst(list.steps.count))
            guard case .element(let index)? = rest.first,
                JSONPlace(Array(path)).pointer.lowercased() == list.description.lowercased()
            else { continue }
            let member = JSONPlace(Array(rest.dropFirst())).pointer
            return "record \(index + 1)" + (member.isEmpty ? "" : ": \(member)")
        }
        return pointer
    }
}
