/// Folds a text in which ä, ö, ü, ø and å are written out, as ae, oe, ue, oe and aa.
///
/// - Returns: nil if there are no such letters in it.
package func foldedWrittenOut(_ text: String) -> String? {
    guard text.utf8.contains(where: { $0 >= 0xC3 }) else { return nil }
    var result = String.UnicodeScalarView()
    var isDifferent = false
    for letter in decomposed(text).unicodeScalars {
        let second: Unicode.Scalar? =
            switch (result.last, letter) {
            case ("a", "\u{308}"), ("A", "\u{308}"), ("o", "\u{308}"), ("O", "\u{308}"), ("u", "\u{308}"),
                ("U", "\u{308}"):
                "e"
            case ("a", "\u{30A}"), ("A", "\u{30A}"): "a"
            default: nil
            }
        if let second {
            result.append(second)
        } else if letter == "ø" || letter == "Ø" {
            result.append(contentsOf: "oe".unicodeScalars)
        } else {
            result.append(letter)
            continue
        }
        isDifferent = true
    }
    return isDifferent ? folded(String(result)) : nil
}

/// A folded word without the second letter of ae, oe, ue and aa: so Mueller is spelt like a folded Müller.
///
/// - Parameter isBeginning: keeps the pair at the end, because another letter may follow: jo would find many
///   more than joe.
/// - Returns: nil if there is none of these in it.
package func squeezed(_ word: String, isBeginning: Bool = false) -> String? {
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
