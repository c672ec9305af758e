import FoundationEssentials
import Model

/// Takes the secrets out of what is kept of an exchange: those that their names tell, and, wherever they turn up again,
/// the values of the credentials and cookies that have been seen.
package struct Redaction: Sendable {
    /// What stands where a secret stood: JSON stays JSON, and an address an address.
    package static let word = "redacted"

    /// Those that userd sends: however many cookies an answer sets, they stay.
    private var own = Secrets()
    private var others = Secrets()

    private struct Secrets {
        static let most = 64

        /// The newest last.
        var all: [[UInt8]] = []

        mutating func keep(_ secrets: [String]) {
            for secret in secrets.map({ Array($0.utf8) })
            where secret.count >= 6 && !secret.elementsEqual(Redaction.word.utf8) {
                all.removeAll { $0 == secret }
                all.append(secret)
            }
            all.removeFirst(max(0, all.count - Self.most))
        }
    }

    package init() {}

    package init(of request: HTTPRequest, _ outcome: Recording.Outcome? = nil) {
        learn(from: request, outcome)
    }

    /// Remembers what this request, and the answer to it, say is secret.
    package mutating func learn(from request: HTTPRequest, _ outcome: Recording.Outcome? = nil) {
        if case .answer(let response) = outcome {
            others.keep(secrets(in: response.headers))
            if let location = response.headers["Location"].flatMap({
                URL(string: $0, relativeTo: request.url)
            }) {
                others.keep(secrets(in: location))
            }
        }
        // Last, so that nothing in the answer drives it out.
        others.keep(secrets(in: request.url))
        own.keep(secrets(in: request.headers))
    }

    private func secrets(in headers: HTTPHeaders) -> [String] {
        headers.fields.filter { isSecret(header: $0.name) }.flatMap { field in
            switch field.name.asciiLowercased {
            case "cookie": field.value.split(separator: ";").compactMap(cookieValue)
            case "set-cookie":
                field.value.split(separator: "\n").compactMap { cookieValue($0.prefix { $0 != ";" }) }
            case "authorization", "proxy-authorization": secrets(inCredentials: field.value)
            default: [field.value]
            }
        }
    }

    /// `Bearer TOKEN`, and what `Basic` has in base64 (RFC 7617).
    private func secrets(inCredentials credentials: String) -> [String] {
        let words = credentials.split(separator: " ", maxSplits: 1).map { String($0).trimmingBlanks() }
        guard let value = words.last else { return [] }
        guard words.count == 2, words[0].asciiLowercased == "basic", let decoded = Data(base64Encoded: value)
        else { return [value] }
        let pair = String(decoding: decoded, as: UTF8.self)
        return [value, pair, String(pair.drop { $0 != ":" }.dropFirst())]
    }

    private func secrets(in url: URL) -> [String] {
        [url.password(percentEncoded: false)].compactMap(\.self)
            + QueryParameters(url.query(percentEncoded: true) ?? "").all
            .filter { isSecret(parameter: $0.name) }.map(\.value)
    }

    /// Of `name=value`, quotes left out; nil for one so short that it may be any word.
    private func cookieValue(_ pair: Substring) -> String? {
        let value = String(pair.drop { $0 != "=" }.dropFirst()).trimmingBlanks().replacing("\"", with: "")
        return value.utf8.count >= 8 ? value : nil
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
    package func redacted(setting text: String) -> String {
        let parts = text.split(separator: "&", omittingEmptySubsequences: false).map {
            (part: Substring) -> String in
            guard let end = part.firstIndex(of: "=") else { return String(part) }
            let name = String(part[..<end].split(separator: "?").last ?? "")
            let takesSecret = QueryParameters(name).all.contains { isSecret(parameter: $0.name) }
            return takesSecret ? String(part[...end]) + Self.word : String(part)
        }
        return String(redacted("?" + parts.joined(separator: "&")).dropFirst())
    }

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
            // The longest first: one may begin with another.
            let secrets = (own.all + others.all).sorted { $0.count > $1.count }
            return SecretScanner(bytes: buffer, secrets: secrets).redacted()
        } ?? bytes
    }
}

/// An address as it is found in a recording: the values of parameters that are secret by name are not.
package func redacted(url: URL) -> URL { Redaction().redacted(url: url) }

private func isSecret(header name: String) -> Bool {
    name.asciiLowercased == "authentication-info" || isSecret(lettersOf(name))
}

/// - Parameter name: decoded.
func isSecret(parameter name: String) -> Bool {
    let letters = lettersOf(name)
    return letters == Array("key".utf8) || letters == Array("code".utf8) || isSecret(letters)
}

/// Of JSON, without escapes: what `login` of a user holds beside the name, and what answers to a sign-in.
func isSecret(member name: String) -> Bool {
    let letters = lettersOf(name)
    return loginMembers.contains(letters) || isSecret(letters)
}

private let loginMembers = ["salt", "md5", "sha1", "sha256"].map { Array($0.utf8) }
private let secretNames = ["sig", "auth", "pass", "pwd", "sid", "jwt"].map { Array($0.utf8) }
private let secretWords = [
    "token", "apikey", "accesskey", "password", "passwd", "secret", "signature", "session", "credential",
    "authorization", "bearer", "cookie",
].map { Array($0.utf8) }

/// The same for `access_token`, `accessToken` and `Access-Token`.
private func lettersOf(_ name: String) -> [UInt8] {
    name.utf8.map(\.asciiLowercased).filter {
        UInt8(ascii: "a")...UInt8(ascii: "z") ~= $0 || UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0
    }
}

private func isSecret(_ letters: [UInt8]) -> Bool {
    secretNames.contains(letters)
        || letters.indices.contains { start in
            secretWords.contains { $0[0] == letters[start] && letters[start...].starts(with: $0) }
        }
}
