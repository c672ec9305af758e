/// For the budget of a first sync (Speed.md, row 1): most names and words are of letters whose folding depends on nothing beside
/// them, and a table folds those many times as fast as the rule does, by which the table is made.
///
/// - Returns: nil where a character is not in the table.
func foldedByLetters(_ text: String) -> String? {
    var folded: [UInt8] = []
    folded.reserveCapacity(text.utf8.count)
    for letter in text.unicodeScalars {
        guard letter.value < tableEnd, let bytes = table[Int(letter.value)] else { return nil }
        folded.append(contentsOf: bytes)
    }
    return String(decoding: folded, as: UTF8.self)
}

/// Latin, Greek, Cyrillic, Armenian, Hebrew and Arabic.
let tableEnd: UInt32 = 0x700

/// What each letter is folded to. Marks, which compose with the letter before them, are not in it.
private let table: [[UInt8]?] = (0..<tableEnd).map { value in
    guard let letter = Unicode.Scalar(value),
        letter.properties.canonicalCombiningClass == .notReordered
    else { return nil }
    return Array(foldedByRule(String(letter)).utf8)
}
