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
}
