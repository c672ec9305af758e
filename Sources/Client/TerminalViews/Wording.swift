/// `just now` below five seconds or for a future time, then `42 s ago`, `3 min ago`, `5 h 10 min ago`, `3 days ago`.
package func ago(_ age: Duration) -> String {
    age < .seconds(5) ? "just now" : "\(inWords(age)) ago"
}

/// `now` if the time has come, else `in 42 s`.
package func until(_ remaining: Duration) -> String {
    remaining <= .zero ? "now" : "in \(inWords(remaining))"
}

/// `42 s`, `3 min`, `1 h 5 min`, `15 h`, `3 days 4 h`, `12 days`: rounded to the nearest, at least one second. Below ten
/// hours and ten days it has two units, because one would be too coarse.
package func inWords(_ duration: Duration) -> String {
    let seconds = min(duration / .seconds(1), 1e15)
    func whole(_ unit: Double) -> Int { Int((seconds / unit).rounded()) }
    func both(_ smaller: Int, _ ratio: Int, _ units: (String, String)) -> String {
        let (large, small) = smaller.quotientAndRemainder(dividingBy: ratio)
        return "\(large) \(units.0)" + (small == 0 ? "" : " \(small) \(units.1)")
    }
    let (minutes, hours) = (whole(60), whole(3600))
    if whole(1) < 60 { return "\(max(1, whole(1))) s" }
    if minutes < 60 { return "\(minutes) min" }
    if minutes < 600 { return both(minutes, 60, ("h", "min")) }
    if hours < 48 { return "\(hours) h" }
    if hours < 240 { return both(hours, 24, ("days", "h")) }
    return "\(grouped(whole(86_400))) days"
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
