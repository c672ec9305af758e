/// `just now` below five seconds or for a future time, then `42 s ago`, `3 min ago`, `5 h ago`, `3 days ago`.
package func ago(_ age: Duration) -> String {
    age < .seconds(5) ? "just now" : "\(inWords(age, .down)) ago"
}

/// `now` if the time has come, else `in 42 s`.
package func until(_ remaining: Duration) -> String {
    remaining <= .zero ? "now" : "in \(inWords(remaining))"
}

/// `42 s`, `3 min`; in days from two days on; at least one second.
package func inWords(_ duration: Duration, _ rule: FloatingPointRoundingRule = .up) -> String {
    let seconds = min(duration / .seconds(1), 1e15)
    func whole(_ unit: Double) -> Int { Int((seconds / unit).rounded(rule)) }
    return switch max(1, whole(1)) {
    case let seconds where seconds < 60: "\(seconds) s"
    case ..<3600: "\(whole(60)) min"
    case ..<172_800: "\(whole(3600)) h"
    default: "\(grouped(whole(86_400))) days"
    }
}

/// A number with commas between thousands: `100,000`.
package func grouped(_ number: Int) -> String {
    var text = String(number.magnitude)
    for place in stride(from: text.count - 3, to: 0, by: -3) {
        text.insert(",", at: text.index(text.startIndex, offsetBy: place))
    }
    return number < 0 ? "-\(text)" : text
}

/// A number of things: `1 user`, `100,000 users`.
package func counted(_ number: Int, _ thing: String) -> String {
    "\(grouped(number)) \(thing)\(number == 1 ? "" : "s")"
}
