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
    /// Those that answers have beside their names.
    private var told = Secrets()

    private struct Secrets {
        static let most = 64
        static let mostBytes = 1 << 17

        /// The newest last.
        var all: [[UInt8]] = []

        mutating func keep(_ secrets: [String]) {
            for secret in secrets.flatMap(Redaction.telling).map({ Array($0.utf8) }) {
                all.removeAll { $0 == secret }
                all.append(secret)
            }
            all.removeFirst(max(0, all.count - Self.most))
            var bytes = all.reduce(0) { $0 + $1.count }
            while bytes > Self.mostBytes { bytes -= all.removeFirst().count }
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

    /// What this answer says is secret. To find it takes as long as to redact it.
    package static func secrets(in outcome: Recording.Outcome) -> [String] {
        guard case .answer(let response) = outcome, isText(response.body) else { return [] }
        return response.body.withUnsafeBufferPointer { body in
            var scanner = SecretScanner(bytes: body, secrets: KnownSecrets([]), hasNames: true)
            _ = scanner.redacted()
            return scanner.told.map { String(decoding: $0, as: UTF8.self) }
        }
    }

    package mutating func learn(_ secrets: [String]) { told.keep(secrets) }

    /// What can be looked for without finding it in what has nothing to do with it. Of JSON, that is the strings in it.
    private static func telling(_ secret: String) -> [String] {
        let plain = unescaped(secret)
        if plain.contains("\""), plain.contains("{") || plain.contains("[") {
            let parts = plain.split(separator: "\"", omittingEmptySubsequences: false)
            return parts.indices.filter { index in
                let isName = index + 1 < parts.count && parts[index + 1].drop { $0 == " " }.first == ":"
                return !isName && parts[index].utf8.count >= 8 && parts[index].contains(where: isPart)
                    && !"{}[]:,".contains(parts[index].first ?? ",")
            }.map { String(parts[$0]) }
        }
        // JSON has quotes of its own around it.
        let bare = plain.trimmingQuotes()
        let isTelling = bare.utf8.count >= 6 && bare.contains(where: isPart) && bare != word
        return isTelling ? [bare == plain ? secret : bare] : []
    }

    private static func unescaped(_ text: String) -> String {
        String(decoding: UnescapedText(Array(text.utf8)).bytes.map(\.value), as: UTF8.self)
    }

    private static func isPart(_ character: Character) -> Bool { character.isLetter || character.isNumber }

    private func secrets(in headers: HTTPHeaders) -> [String] {
        headers.fields.filter { SecretName($0.name).isSecretHeader }.flatMap { field in
            switch field.name.asciiLowercased {
            case "cookie": field.value.split(separator: ";").compactMap(cookieValue)
            case "set-cookie":
                field.value.split(separator: "\n").compactMap { cookieValue($0.prefix { $0 != ";" }) }
            case "authorization", "proxy-authorization": secrets(inCredentials: field.value)
            default:
                SecretName(field.name).isCredential && looksRandom(field.value) ? [field.value] : []
            }
        }
    }

    /// A word, such as `success`, may stand anywhere.
    private func looksRandom(_ value: String) -> Bool {
        let isMixed = value.contains(where: \.isUppercase) && value.contains(where: \.isLowercase)
        return value.utf8.count >= 8 && (isMixed || value.contains(where: \.isNumber))
    }

    /// `Bearer TOKEN`, and what `Basic` has in base64 (RFC 7617).
    private func secrets(inCredentials credentials: String) -> [String] {
        let words = credentials.split(separator: " ", maxSplits: 1).map { String($0).trimmingBlanks() }
        guard let value = words.last else { return [] }
        guard words.count == 2, words[0].asciiLowercased == "basic", let decoded = Data(base64Encoded: value)
        else {
            // `Token token="4c1f…", realm=…`
            let parameters = value.split(separator: ",").map { part in
                String(part.drop { $0 != "=" }.dropFirst()).trimmingBlanks().replacing("\"", with: "")
            }
            return parameters.filter(looksRandom) + [value]
        }
        let pair = String(decoding: decoded, as: UTF8.self)
        return [value, pair, String(pair.drop { $0 != ":" }.dropFirst())]
    }

    /// A user without a password is one, as in `https://TOKEN@a.example/`.
    private func secrets(in url: URL) -> [String] {
        let password = url.password(percentEncoded: false).flatMap { $0.isEmpty ? nil : $0 }
        return [password ?? url.user(percentEncoded: false)].compactMap(\.self)
            + QueryParameters(url.query(percentEncoded: true) ?? "").all
            .filter { SecretName($0.name).isSecretParameter }.map(\.value)
    }

    /// Of `name=value`, or of one without a name (RFC 6265bis, section 5.6), quotes left out; nil for one so short that it may be any word.
    private func cookieValue(_ pair: Substring) -> String? {
        let named = pair.firstIndex(of: "=").map { pair[$0...].dropFirst() }
        let value = String(named ?? pair).trimmingBlanks().replacing("\"", with: "")
        let plain = Self.unescaped(value)
        let isMixed = plain.contains(where: \.isNumber) && plain.contains(where: \.isLetter)
        // `United States` is none.
        let isProse = !isMixed && plain.contains(" ")
        return plain.utf8.count >= (isMixed ? 6 : 8) && !isProse ? value : nil
    }

    package func redacted(_ exchange: Recording.Exchange) -> Recording.Exchange {
        let known = known
        let text = { (text: String) in redacted(text, known) }
        let headers = { (headers: HTTPHeaders) in
            HTTPHeaders(
                fields: headers.fields.map { field in
                    HTTPHeaders.Field(
                        name: text(field.name),
                        value: isHarmless(header: field.name) ? text(field.value) : Self.word)
                })
        }
        var exchange = exchange
        exchange.url = redacted(url: exchange.url, known)
        exchange.requestHeaders = headers(exchange.requestHeaders)
        switch exchange.outcome {
        case .answer(var response):
            response.headers = headers(response.headers)
            response.body = redacted(response.body, known)
            exchange.outcome = .answer(response)
        case .failure(var error):
            error.failure.message = text(error.failure.message)
            exchange.outcome = .failure(error)
        case .missing(let reason):
            exchange.outcome = .missing(text(reason))
        }
        return exchange
    }

    /// Text that may quote an answer or name an address.
    package func redacted(_ text: String) -> String { redacted(text, known) }

    /// A query, and any other setting.
    package func redacted(setting text: String) -> String {
        let parts = text.split(separator: "&", omittingEmptySubsequences: false).map {
            (part: Substring) -> String in
            guard let end = part.firstIndex(of: "=") else { return String(part) }
            let name = String(part[..<end].split(separator: "?").last ?? "")
            let takesSecret = QueryParameters(name).all.contains { SecretName($0.name).isSecretParameter }
            return takesSecret ? String(part[...end]) + Self.word : String(part)
        }
        return String(redacted("?" + parts.joined(separator: "&")).dropFirst())
    }

    package func redacted(url: URL) -> URL { redacted(url: url, known) }

    private var known: KnownSecrets { KnownSecrets(own.all + others.all + told.all) }

    private func redacted(url: URL, _ known: KnownSecrets) -> URL {
        let text = redacted(url.absoluteString, known)
        // What is no address any more is not that one either.
        return text == url.absoluteString
            ? url : URL(httpAddress: text) ?? URL(string: "http://\(Self.word)/") ?? URL(filePath: Self.word)
    }

    private func redacted(_ text: String, _ known: KnownSecrets) -> String {
        String(decoding: redacted(Array(text.utf8), known), as: UTF8.self)
    }

    private func redacted(_ bytes: [UInt8], _ known: KnownSecrets) -> [UInt8] {
        bytes.withUnsafeBufferPointer { buffer in
            var scanner = SecretScanner(bytes: buffer, secrets: known, hasNames: Self.isText(bytes))
            return scanner.redacted()
        } ?? bytes
    }

    /// In pictures and the like, what looks like a name is there by chance.
    private static func isText(_ bytes: [UInt8]) -> Bool {
        !bytes.contains(0) || String(validating: bytes, as: UTF8.self) != nil
    }
}

/// An address as it is found in a recording: the values of parameters that are secret by name are not.
package func redacted(url: URL) -> URL { Redaction().redacted(url: url) }
