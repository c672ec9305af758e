import Model

/// The time to wait: seconds or a date (RFC 9110, section 10.2.3). From zero to a day; nil if there is none or it is
/// invalid.
func retryAfter(_ header: String?, now: Timestamp) -> Duration? {
    guard let text = header?.trimmingBlanks(), text.utf8.count <= 64 else { return nil }
    let day = Duration.seconds(86_400)
    if let date = Timestamp(httpDate: text) { return min(max(date - now, .zero), day) }
    let isNegative = text.utf8.first == UInt8(ascii: "-")
    let digits = isNegative ? text.dropFirst() : text[...]
    guard !digits.isEmpty, digits.utf8.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }) else {
        return nil
    }
    if isNegative { return .zero }
    // More digits than fit in 64 bits.
    return Int64(digits).map { .seconds(min($0, 86_400)) } ?? day
}
