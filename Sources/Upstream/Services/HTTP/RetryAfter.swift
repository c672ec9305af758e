import Model

/// The header's value as a time to stay away: seconds or a date (RFC 9110, section 10.2.3). From none to a day; nil
/// where it says nothing that can be understood.
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
    // Digits that 64 bits do not hold are a number all the same.
    return Int64(digits).map { .seconds(min($0, 86_400)) } ?? day
}
