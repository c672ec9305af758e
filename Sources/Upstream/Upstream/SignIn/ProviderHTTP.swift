import FoundationEssentials
import HTTP
import Model
import StrictJSON

/// Requests to the provider. None is recorded, and no message has a secret.
struct ProviderHTTP: Sendable {
    let transport: HTTPTransport
    let redactor: SecretRedactor
    let now: @Sendable () -> Timestamp

    /// - Parameter setting: the one that led to the address.
    func send(_ request: HTTPRequest, of setting: String) async throws -> HTTPResponse {
        do {
            return try await withRedactedMessages(redactor) {
                try await withoutRecording { try await transport.send(request) }
            }
        } catch let error as UpstreamError { throw error.blaming(setting) }
    }

    /// Sends a form to an endpoint, with the client's id.
    ///
    /// Throws `OAuthRefusal` if the endpoint refuses what is asked, and `UpstreamError` for all else: no
    /// network, no answer, an endpoint that is busy or broken.
    func post(_ fields: [(String, String)], to url: URL, of client: OAuthClient) async throws -> HTTPResponse
    {
        let named = client.endpoints.first { $0.value == url }?.key
        let setting = client.setting(of: url)
        guard url.keepsSecrets else {
            throw UpstreamError(
                .credentials, "userd sends no secret to \(url.shown), which is not an https:// address",
                advice: named == nil ? .checkIssuer : .nameEndpoint, about: named?.rawValue ?? "")
        }
        let request: HTTPRequest
        do {
            request = try HTTPRequest(
                form: fields + client.sentParameters, to: url, from: client.identity, redactor: redactor)
        } catch {
            throw UpstreamError(
                .credentials, "can't ask \(url.shown): \("\(error)".shown(upTo: 300))")
        }
        let response = try await send(request, of: setting)
        let json = response.json
        func text(_ name: String) -> String? { json?[name]?.string.map { redactor.removed(from: $0) } }
        let code = text("error") ?? ""
        // Some providers refuse with a status of 200.
        if 200...299 ~= response.status, code.isEmpty { return response }
        // Gateways and some providers have their own members.
        let other =
            code.isEmpty ? json.flatMap { UpstreamComplaint(anyIn: $0) }?.text ?? response.plainText : nil
        let words = text("error_description") ?? other.map(redactor.removed) ?? ""
        let complaint = [code, words].filter { !$0.isEmpty }.joined(separator: ": ")
        let failure = response.failure(
            from: url, complaint: complaint.isEmpty ? nil : UpstreamComplaint(text: complaint), now: now())
        let isBusy = response.status >= 500 || code.isEmpty && [408, 425].contains(response.status)
        // A device's sign-in has its own rule for slow_down, which some providers send with 429.
        let isLimited = failure?.failure.kind == .rateLimited && code != "slow_down"
        if let failure, isBusy || isLimited || 300...399 ~= response.status { throw failure.blaming(setting) }
        throw OAuthRefusal(
            url: url, status: response.status, code: code, words: words, isBlank: response.isBlank)
    }

    func tokens(_ fields: [(String, String)], at url: URL, of client: OAuthClient) async throws -> TokenAnswer
    {
        let askedAt = now()
        let response = try await post(fields, to: url, of: client)
        do throws(UpstreamError) {
            guard let json = response.json else {
                throw UpstreamError(.decode, "the answer of \(url.shown) is not JSON")
            }
            return try TokenAnswer(
                json, from: url, askedAt: askedAt, scheme: client.scheme, redactor: redactor)
        } catch { throw error.blaming(client.setting(of: url)) }
    }
}

extension HTTPResponse {
    /// The body, if it is an object.
    var json: JSONValue? {
        (try? JSONValue(upstream: body)).flatMap { $0.kind == .object ? $0 : nil }
    }
}
