/// Folds a text in which ä, ö, ü, ø and å are written out, as ae, oe, ue, oe and aa.
///
/// - Returns: nil if there are no such letters in it.
package func foldedWrittenOut(_ text: String) -> String? {
    guard mayBeWrittenOut(text) else { return nil }
    var result = String.UnicodeScalarView()
    var isDifferent = false
    for letter in decomposed(text).unicodeScalars {
        switch (result.last, letter) {
        case ("a", "\u{308}"), ("A", "\u{308}"), ("o", "\u{308}"), ("O", "\u{308}"), ("u", "\u{308}"),
            ("U", "\u{308}"):
            result.append("e")
        case ("a", "\u{30A}"), ("A", "\u{30A}"):
            result.append("a")
        case (_, "ø"), (_, "Ø"):
            result.append(contentsOf: "oe".unicodeScalars)
        default:
            result.append(letter)
            continue
        }
        isDifferent = true
    }
    return isDifferent ? folded(String(result)) : nil
}

/// Whether there may be a letter that is written out. Most texts have none, which is found faster than they
/// are decomposed.
private func mayBeWrittenOut(_ text: String) -> Bool {
    text.unicodeScalars.contains {
        switch $0 {
        case "ä", "Ä", "ö", "Ö", "ü", "Ü", "å", "Å", "ø", "Ø", "\u{308}", "\u{30A}", "\u{212B}": true
        // These with one more accent.
        case "\u{1D5}"..."\u{22B}": true
        default: false
        }
    }
}

/// A folded word without the second letter of ae, oe, ue and aa: so Mueller is spelt like a folded Müller.
///
/// - Parameter isBeginning: keeps the pair at the end: joe would find Jo.
/// - Returns: nil if there is none of these in it.
package func squeezed(_ word: Substring, isBeginning: Bool = false) -> String? {
    var word = word
    return word.withUTF8 { letters in
        guard
            (1..<max(letters.count, 1)).contains(where: { isPair(letters[$0 - 1], letters[$0]) })
        else { return nil }
        var kept: [UInt8] = [letters[0]]
        for index in 1..<letters.count
        where !isPair(letters[index - 1], letters[index]) || (isBeginning && index == letters.count - 1) {
            kept.append(letters[index])
        }
        return kept.count == letters.count ? nil : String(decoding: kept, as: UTF8.self)
    }
}

private func isPair(_ first: UInt8, _ second: UInt8) -> Bool {
    switch (first, second) {
    case (UInt8(ascii: "a"), UInt8(ascii: "e")), (UInt8(ascii: "o"), UInt8(ascii: "e")),
        (UInt8(ascii: "u"), UInt8(ascii: "e")), (UInt8(ascii: "a"), UInt8(ascii: "a")):
        true
    default: false
    }
}
