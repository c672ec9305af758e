/// `just now` below five seconds or for a future time, then `42 s ago`, `3 min ago`, `5 h ago`, `3 days ago`.
package func ago(_ age: Duration) -> String {
    age < .seconds(5) ? "just now" : "\(inOneUnit(age, .down)) ago"
}

/// `now` if the time has come, else `in 42 s`.
package func until(_ remaining: Duration) -> String {
    remaining <= .zero ? "now" : "in \(inWords(remaining))"
}

/// `42 s`, `3 min`.
package func inWords(_ duration: Duration, _ rule: FloatingPointRoundingRule = .up) -> String {
    inOneUnit(duration, rule)
}

/// A number with commas between thousands: `100,000`.
package func grouped(_ number: Int) -> String {
    let digits = String(number.magnitude)
    let groups = digits.indices.reduce(into: "") { result, index in
        let left = digits.distance(from: index, to: digits.endIndex)
        if left % 3 == 0 && index != digits.startIndex { result += "," }
        result.append(digits[index])
    }
    return number < 0 ? "-\(groups)" : groups
}

/// A number of things: `1 user`, `100,000 users`.
package func counted(_ number: Int, _ thing: String) -> String {
    "\(grouped(number)) \(thing)\(number == 1 ? "" : "s")"
}

/// In days from two days on; at least one second.
private func inOneUnit(_ duration: Duration, _ rule: FloatingPointRoundingRule) -> String {
    let seconds = min(duration / .seconds(1), 1e15)
    func whole(_ unit: Double) -> Int { Int((seconds / unit).rounded(rule)) }
    return switch max(1, whole(1)) {
    case let seconds where seconds < 60: "\(seconds) s"
    case ..<3600: "\(whole(60)) min"
    case ..<172_800: "\(whole(3600)) h"
    default: "\(grouped(whole(86_400))) days"
    }
}
