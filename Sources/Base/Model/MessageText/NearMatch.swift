/// The end of a message about an unknown name: the nearest candidates by edit distance, at most three and at
/// most two edits away; empty if none is near. A name without its section (`interval`) also matches
/// candidates that end with it.
package func didYouMean(_ name: String, among candidates: [String]) -> String {
    // Longer names are slow to compare and match nothing.
    guard name.utf8.count <= 100 else { return "" }
    let dot: UInt32 = 0x2E
    func letters(_ name: String) -> [UInt32] {
        name.lowercased().unicodeScalars.map { $0 == "-" ? 0x5F : $0.value }
    }
    let wanted = letters(name)
    let wantedKey = wanted.split(separator: dot).last.map(Array.init) ?? []
    let distances = candidates.map { candidate in
        let given = letters(candidate)
        let givenKey = given.split(separator: dot).last.map(Array.init) ?? []
        let otherSection = wantedKey.count < wanted.count ? 2 : 0
        return min(editDistance(wanted, given), editDistance(wantedKey, givenKey) + otherSection)
    }
    guard let nearest = distances.min(), nearest <= min(2, name.count / 3) else { return "" }
    let matches = zip(candidates, distances).filter { $0.1 == nearest }.map(\.0).prefix(3)
    return "; did you mean \(matches.joined(separator: " or "))?"
}

/// The number of letters to insert, delete, replace, or swap with the next one.
package func editDistance(_ a: [UInt32], _ b: [UInt32]) -> Int {
    var (before, row) = ([Int](), Array(0...b.count))
    for (i, x) in a.enumerated() {
        var next = [i + 1]
        for (j, y) in b.enumerated() {
            var distance = min(row[j] + (x == y ? 0 : 1), row[j + 1] + 1, next[j] + 1)
            if i > 0, j > 0, x == b[j - 1], y == a[i - 1] { distance = min(distance, before[j - 1] + 1) }
            next.append(distance)
        }
        (before, row) = (row, next)
    }
    return row[b.count]
}
