import Model

extension HTTPHeaders {
    /// How long upstream asks clients to wait: by `Retry-After`, or else by `X-Rate-Limit-Reset` (Okta) or
    /// `X-RateLimit-Reset` (GitHub), in seconds since 1970 by upstream's clock.
    func waitAsked(now: Timestamp) -> Duration? {
        if let wait = retryAfter(self["Retry-After"], now: now) { return wait }
        let reset = (self["X-Rate-Limit-Reset"] ?? self["X-RateLimit-Reset"]).flatMap(Int64.init)
        guard let reset, 0..<253_402_300_800 ~= reset else { return nil }
        let sent = self["Date"].flatMap(Timestamp.init(httpDate:)) ?? now
        return min(max(Timestamp(milliseconds: reset * 1000) - sent, .zero), .seconds(86_400))
    }
}

/// The time to wait: seconds or a date (RFC 9110, section 10.2.3). From zero to a day; nil if there is none
/// or it is invalid. Graph was seen to send a fraction of a second, which is rounded up.
func retryAfter(_ header: String?, now: Timestamp) -> Duration? {
    guard let text = header?.trimmingBlanks(), text.utf8.count <= 64 else { return nil }
    let day = Duration.seconds(86_400)
    if let date = Timestamp(httpDate: text) { return min(max(date - now, .zero), day) }
    let isNegative = text.utf8.first == UInt8(ascii: "-")
    let parts = (isNegative ? text.dropFirst() : text[...]).split(
        separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
    let digits = parts[0]
    guard parts.dropFirst().allSatisfy({ !$0.isEmpty && $0.utf8.allSatisfy { 0x30...0x39 ~= $0 } }) else {
        return nil
    }
    guard !digits.isEmpty, digits.utf8.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }) else {
        return nil
    }
    if isNegative { return .zero }
    // More digits than fit in 64 bits are more than a day, too.
    return min(.seconds(min(Int64(digits) ?? .max, 86_400)) + .seconds(parts.count - 1), day)
}
