/// Where a text's long lists and objects end, noted while it is validated. A message is mostly one long list, and looking for
/// its end again takes a third of the time.
struct LongValues: Sendable {
    /// In bytes. Shorter ones are found as fast without.
    static let least = 4096

    private var ends: [Int: Int] = [:]

    mutating func note(_ range: Range<Int>) {
        if range.count >= Self.least { ends[range.lowerBound] = range.upperBound }
    }

    /// Nil for a short one.
    func end(from start: Int) -> Int? { ends.isEmpty ? nil : ends[start] }
}
