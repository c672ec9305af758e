import FoundationEssentials
import Model

/// Takes the secrets out of what is kept of an exchange: those that their names tell, and, wherever they turn up again,
/// the values of the credentials and cookies that have been seen.
package struct Redaction: Sendable {
    /// What stands where a secret stood: JSON stays JSON, and an address an address.
    package static let word = "redacted"
    private static let mostSecrets = 64

    /// The newest last.
    private var secrets: [[UInt8]] = []

    package init() {}

    package init(of request: HTTPRequest, _ outcome: Recording.Outcome? = nil) {
        learn(from: request, outcome)
    }

    /// Remembers what this request, and the answer to it, say is secret.
    package mutating func learn(from request: HTTPRequest, _ outcome: Recording.Outcome? = nil) {
        learn(fromHeaders: request.headers)
        learn(fromURL: request.url)
        guard case .answer(let response) = outcome else { return }
        learn(fromHeaders: response.headers)
        if let location = response.headers["Location"].flatMap({ URL(string: $0, relativeTo: request.url) }) {
            learn(fromURL: location)
        }
    }

    private mutating func learn(fromHeaders headers: HTTPHeaders) {
        for field in headers.fields where isSecret(header: field.name) {
            switch field.name.asciiLowercased {
            case "cookie": for pair in field.value.split(separator: ";") { learn(valueOf: pair) }
            case "set-cookie":
                for line in field.value.split(separator: "\n") { learn(valueOf: line.prefix { $0 != ";" }) }
            case "authorization", "proxy-authorization": learn(credentials: field.value)
            default: learn(field.value)
            }
        }
    }

    /// `Bearer TOKEN`, and what `Basic` has in base64 (RFC 7617).
    private mutating func learn(credentials: String) {
        let words = credentials.split(separator: " ", maxSplits: 1).map { String($0).trimmingBlanks() }
        guard let value = words.last else { return }
        learn(value)
        guard words.count == 2, words[0].asciiLowercased == "basic", let decoded = Data(base64Encoded: value)
        else { return }
        let pair = String(decoding: decoded, as: UTF8.self)
        learn(pair)
        learn(String(pair.drop { $0 != ":" }.dropFirst()))
    }

    private mutating func learn(fromURL url: URL) {
        if let password = url.password(percentEncoded: false) { learn(password) }
        for (name, value) in QueryParameters(url.query(percentEncoded: true) ?? "").all
        where isSecret(parameter: name) {
            learn(value)
        }
    }

    /// Of `name=value`, quotes left out.
    private mutating func learn(valueOf pair: some StringProtocol) {
        learn(
            String(pair.drop { $0 != "=" }.dropFirst()).trimmingBlanks().replacing("\"", with: ""), atLeast: 8
        )
    }

    private mutating func learn(_ secret: String, atLeast leastBytes: Int = 6) {
        let secret = Array(secret.utf8)
        guard secret.count >= leastBytes, !secret.elementsEqual(Self.word.utf8), !secrets.contains(secret)
        else { return }
        secrets.append(secret)
        if secrets.count > Self.mostSecrets { secrets.removeFirst() }
    }

    package func redacted(_ exchange: Recording.Exchange) -> Recording.Exchange {
        var exchange = exchange
        exchange.url = redacted(url: exchange.url)
        exchange.requestHeaders = redacted(exchange.requestHeaders)
        switch exchange.outcome {
        case .answer(var response):
            response.headers = redacted(response.headers)
            response.body = redacted(response.body)
            exchange.outcome = .answer(response)
        case .failure(var error):
            error.failure.message = redacted(error.failure.message)
            exchange.outcome = .failure(error)
        case .missing(let reason):
            exchange.outcome = .missing(redacted(reason))
        }
        return exchange
    }

    /// Text that may quote an answer or name an address.
    package func redacted(_ text: String) -> String {
        String(decoding: redacted(Array(text.utf8)), as: UTF8.self)
    }

    /// A query, and any other setting.
    package func redacted(setting text: String) -> String { String(redacted("?" + text).dropFirst()) }

    package func redacted(url: URL) -> URL {
        let text = redacted(url.absoluteString)
        return text == url.absoluteString ? url : URL(string: text) ?? url
    }

    private func redacted(_ headers: HTTPHeaders) -> HTTPHeaders {
        HTTPHeaders(
            fields: headers.fields.map { field in
                HTTPHeaders.Field(
                    name: field.name, value: isSecret(header: field.name) ? Self.word : redacted(field.value))
            })
    }

    private func redacted(_ bytes: [UInt8]) -> [UInt8] {
        bytes.withUnsafeBufferPointer { buffer in
            SecretScanner(bytes: buffer, secrets: secrets).redacted()
        } ?? bytes
    }
}

/// An address as it is found in a recording: the values of parameters that are secret by name are not.
package func redacted(url: URL) -> URL { Redaction().redacted(url: url) }

private func isSecret(header name: String) -> Bool {
    let name = name.asciiLowercased
    return ["authorization", "proxy-authorization", "cookie", "set-cookie", "authentication-info"].contains(
        name)
        || ["token", "secret", "api-key", "apikey", "password", "session", "credential"].contains(
            where: name.contains)
}

/// - Parameter name: decoded.
func isSecret(parameter name: String) -> Bool {
    let letters = name.asciiLowercased.filter { $0 != "_" && $0 != "-" && $0 != "." }
    return ["key", "sig", "auth", "code", "pass", "pwd", "sid", "jwt", "authorization"].contains(letters)
        || [
            "token", "apikey", "accesskey", "password", "passwd", "secret", "signature", "session",
            "credential",
        ]
        .contains(where: letters.contains)
}

/// Of JSON, without escapes: what `login` of a user holds beside the name, and what answers to a sign-in.
func isSecret(member name: String) -> Bool {
    [
        "password", "salt", "md5", "sha1", "sha256", "token", "access_token", "refresh_token", "id_token",
        "api_key",
        "apikey", "secret", "client_secret", "session",
    ].contains(name.asciiLowercased)
}
