/// Where a text's long lists and objects end, noted while it is validated. A message is mostly one long list, and looking for
/// its end again takes a third of the time.
struct LongValues: Sendable {
    /// In bytes. Shorter ones are found as fast without.
    static let least = 4096

    private var ends: [Int: Int] = [:]
    private var objects: [Int: [Range<Int>]] = [:]

    mutating func note(_ range: Range<Int>) {
        if range.count >= Self.least { ends[range.lowerBound] = range.upperBound }
    }

    /// - Parameter objects: all elements of that list.
    mutating func note(_ list: Range<Int>, of objects: [Range<Int>]) {
        if list.count >= Self.least { self.objects[list.lowerBound] = objects }
    }

    /// Nil for a short one.
    func end(from start: Int) -> Int? { ends.isEmpty ? nil : ends[start] }

    /// The elements of a long list of objects that is in no other list; nil for any other.
    func objects(ofList start: Int) -> [Range<Int>]? { objects[start] }
}
