import FoundationEssentials
import HTTP
import Model
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
        _ url: URL, reading reader: RecordReader, isList: Bool = true,
        complaint: (JSONValue) -> UpstreamComplaint?,
        decode: (JSONValue) throws(FormatError) -> Value
    ) async throws -> Value {
        let request = HTTPRequest(json: url)
        return try await recorded(by: recorder, reading: .json(reader.kept)) {
            try await withRedactedMessages(redactor) {
                let response = try await send(request, isList: isList)
                return try read(response, to: request, complaint: complaint, decode: decode)
            }
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
                body.map { UpstreamComplaint(anyIn: $0) }
                ?? response.plainText.map(UpstreamComplaint.init(text:))
        }
        if complaint == nil, body == nil { complaint = response.lastWords }
        // Before the text is shortened, which could cut a secret in two.
        if let text = complaint?.text { complaint?.text = redactor.removed(from: text) }
        if var error = response.failure(from: url, complaint: complaint, now: now()) {
            if error.failure.isAboutCredentials, !response.isFromOrigin(of: request.url) {
                error.failure.kind = .redirect
                error.failure.reason += "; a redirect leads there, where userd sends no secret"
            }
            throw error
        }
        do {
            return try decode(json.get())
        } catch let error as JSONSyntaxError {
            let beginning = redactor.removed(from: response.beginning)
            throw UpstreamError(
                .decode, "cannot read \(what)\(url.shown): \(unreadable(beginning, error, lists))")
        } catch let error as FormatError {
            throw UpstreamError(
                .decode, "cannot read \(what)\(url.shown): \(error)", advice: .check,
                about: error.setting)
        }
    }

    /// Sends the token. If upstream refuses it, sends another once, if there is one.
    /// - Parameter isList: whether a 401 refuses the password. Beside the list, other rights may be needed.
    func send(_ request: HTTPRequest, isList: Bool = true) async throws -> HTTPResponse {
        let token = try await authorization.token(nil)
        let response = try await send(request, with: token, isList)
        // Another origin did not get the token.
        guard response.status == 401, let token, response.isFromOrigin(of: request.url) else {
            return response
        }
        let other = try await authorization.token(token)
        guard let other, other != token else { return response }
        // A replay uses no tokens, so it asks only once.
        leaveOutOfRecording()
        return try await send(request, with: other, isList)
    }

    private func send(
        _ request: HTTPRequest, with token: String?, _ isList: Bool
    ) async throws -> HTTPResponse {
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
        var response = try await logIn(request, isList)
        if response.isFromOrigin(of: request.url) { response.scheme = request.headers.scheme }
        return response
    }

    /// Sends a request whose password, if it has one, may be sent now.
    private func logIn(_ request: HTTPRequest, _ isList: Bool) async throws -> HTTPResponse {
        guard let value = request.headers["Authorization"], value.asciiLowercased.hasPrefix("basic "),
            let login = authorization.login?(value)
        else { return try await transport.send(request) }
        try login.send()
        let response: HTTPResponse
        do { response = try await transport.send(request) } catch let error as UpstreamError {
            if error.isUnsent { login.withdraw() }
            throw error
        }
        let url = response.url ?? request.url
        let reason = "\(url.shown) answered \(response.status)"
        switch response.status {
        case 401 where isList && HTTPOrigin(url) == HTTPOrigin(request.url): login.refused(reason)
        case _ where HTTPResponse.showsAccess(response.status): login.accepted()
        default: login.answered(reason)
        }
        return response
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

extension HTTPResponse {
    /// Whether an answer of this status goes beyond the login.
    static func showsAccess(_ status: Int) -> Bool {
        switch status {
        case 401, 403, 407, 408, 429: false
        default: status < 500
        }
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
