import FoundationEssentials
import Model

extension HTTPResponse {
    /// What the answer's status or complaint amounts to; nil for an answer that is one.
    ///
    /// io.userd says what is `rate_limited`: 429, or 503 with `Retry-After`; and so is an upstream that says it in words.
    func failure(
        from url: URL, complaint: UpstreamComplaint? = nil, now: Timestamp
    ) -> UpstreamError? {
        let isSuccess = 200...299 ~= status
        if isSuccess && complaint == nil { return nil }
        let words =
            status == 304
            ? ", as if it had been asked whether it has changed: it was asked for the whole"
            : complaint.map { ": " + $0.text.shown(upTo: 200) } ?? ""
        let wait = retryAfter(headers["Retry-After"], now: now)
        let isRateLimit = status == 429 || status == 503 && wait != nil || complaint?.isRateLimit == true
        return UpstreamError(
            isRateLimit ? .rateLimited : .http, "\(url.shown) answered \(status)\(words)",
            status: isSuccess ? complaint?.status ?? status : status, retryAfter: wait)
    }

    /// What a body that is no JSON says to people, its lines as one: where it is called plain text, and where it is a short
    /// line of it; nil where it is markup, or JSON that is damaged, whatever it is called.
    var plainText: String? {
        let lines = beginning.split(whereSeparator: \.isNewline).map { String($0).trimmingBlanks() }
            .filter { !$0.isEmpty }
        guard let first = lines.first?.first, !"<{[".contains(first) else { return nil }
        let type = String((headers["Content-Type"] ?? "").prefix { $0 != ";" })
        let isShortLine =
            lines.count == 1 && lines[0].unicodeScalars.count <= 200
            && !lines[0].unicodeScalars.contains {
                $0.properties.generalCategory == .control || $0 == "\u{FFFD}"
            }
        guard type.trimmingBlanks().asciiLowercased == "text/plain" || isShortLine else { return nil }
        return lines.joined(separator: " ")
    }

    /// Enough to tell what it is, and to have any secret in that whole.
    var beginning: String { String(decoding: body.prefix(80_000), as: UTF8.self) }
}
