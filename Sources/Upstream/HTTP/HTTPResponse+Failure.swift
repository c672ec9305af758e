import FoundationEssentials
import Model
import StrictJSON

extension HTTPResponse {
    /// The failure that the status or the complaint reports; nil for a success.
    ///
    /// A reset of a rate limit counts only once the limit is reached, since many servers always send it.
    /// `rate_limited` is 429, 400 or 403 whose body mentions a rate limit, 503 with `Retry-After`, or a
    /// complaint about one.
    package func failure(
        from url: URL, complaint: UpstreamComplaint? = nil, now: Timestamp
    ) -> UpstreamError? {
        let isSuccess = 200...299 ~= status
        if isSuccess && complaint == nil { return nil }
        let words =
            status == 304
            ? " (not modified), although the request had no condition"
            : complaint.map { ": " + $0.text.shown(upTo: 200) } ?? ""
        let isLimited =
            status == 429
            || [400, 403].contains(status)
                && tellsRateLimit(String(decoding: body.prefix(8192), as: UTF8.self))
        let isBusy = isLimited || status == 503
        let isSpent = (headers["X-RateLimit-Remaining"] ?? headers["X-Rate-Limit-Remaining"]) == "0"
        let wait =
            isLimited || status == 503 && isSpent
            ? headers.waitAsked(now: now) : retryAfter(headers["Retry-After"], now: now)
        let isRateLimit =
            isLimited || status == 503 && wait != nil
            || complaint?.isRateLimit == true && (isSuccess || isBusy)
        var error = UpstreamError(
            isRateLimit ? .rateLimited : .http, "\(url.shown) answered \(status)\(words)",
            status: isSuccess ? complaint?.status ?? status : status, retryAfter: wait)
        if isSuccess, !isRateLimit, complaint?.isRefusal == true { error.failure.retryable = false }
        nameScheme(in: &error)
        return error
    }

    /// Tells which authentication a 401 asks for (RFC 9110, section 11.6.1), if userd sent another.
    private func nameScheme(in error: inout UpstreamError) {
        let challenges = headers.fields.filter { status == 401 && $0.isNamed("WWW-Authenticate") }.map {
            // Commas in quotes separate nothing.
            $0.value.split(separator: "\"", omittingEmptySubsequences: false).enumerated()
                .map { $0.offset.isMultiple(of: 2) ? $0.element : "" }.joined()
        }
        let wanted = challenges.flatMap { $0.split(separator: ",") }
            .compactMap { $0.split(separator: " ").first.map(String.init) }.filter { !$0.contains("=") }
        guard !wanted.isEmpty, !wanted.contains(where: { $0.asciiLowercased == scheme?.asciiLowercased })
        else { return }
        error.failure.reason +=
            "; it asks for \(wanted.joined(separator: " or ").shown(upTo: 100)), and userd sent "
            + (scheme.map { $0.isEmpty ? "a value without a scheme" : $0.shown(upTo: 40) }
                ?? "no header Authorization")
        let isLogin = wanted.contains {
            ["basic", "digest", "negotiate", "ntlm"].contains($0.asciiLowercased)
        }
        if scheme != nil { error.failure.advice = Advice(isLogin ? .checkSecrets : .changeTokenScheme) }
    }

    /// The text of a body that is not JSON, on one line, if its type is plain text or it is one short line;
    /// nil for markup and damaged JSON of any type.
    package var plainText: String? {
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

    /// The error at the end of a list that breaks off, as Keycloak writes it.
    package var lastWords: UpstreamComplaint? {
        let end = body.suffix(2048)
        guard let start = end.ranges(of: Array(#"{"error"#.utf8)).last?.lowerBound,
            let error = try? JSONValue(upstream: Array(end[start...]))
        else { return nil }
        return UpstreamComplaint(anyIn: error)
    }

    /// Enough to recognise the body, and long enough that a secret in the part that is shown is not cut.
    package var beginning: String { String(decoding: body.prefix(80_000), as: UTF8.self) }
}

extension UpstreamError {
    package static func tooLarge(_ url: URL, _ limit: Int) -> UpstreamError {
        UpstreamError(.tooLarge, "the answer of \(url.shown) is larger than \(limit) bytes")
    }
}
