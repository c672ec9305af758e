/// Makes text sort in the order of its letters' alphabets. Letters that Unicode added to a script later have code
/// points after all others; here each follows its neighbour in the alphabet.
///
/// - Parameter text: without case and accents.
func alphabetical(_ text: String) -> String {
    // The first UTF-8 bytes of these scripts.
    guard text.utf8.contains(where: { 0xD0...0xDB ~= $0 }),
        text.unicodeScalars.contains(where: { scripts ~= $0 && neighbours[$0] != nil })
    else { return text }
    var result = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
        guard scripts ~= scalar, let neighbour = neighbours[scalar] else {
            result.append(scalar)
            continue
        }
        result.append(neighbour)
        // Sorts after every word with the neighbour itself in this position.
        result.append("\u{FFFF}")
    }
    return String(result)
}

/// Cyrillic to Arabic. Other letters need no lookup.
private let scripts: ClosedRange<Unicode.Scalar> = "\u{400}"..."\u{6FF}"

private let neighbours: [Unicode.Scalar: Unicode.Scalar] = {
    var neighbours: [Unicode.Scalar: Unicode.Scalar] = [:]
    func put(_ letters: String, after neighbour: Unicode.Scalar) {
        for letter in letters.unicodeScalars { neighbours[letter] = neighbour }
    }
    // Ukrainian, Belarusian, Serbian, Macedonian, Kazakh, Tatar.
    put("ә", after: "а")
    put("ґғ", after: "г")
    put("ђ", after: "д")
    put("є", after: "е")
    put("җ", after: "ж")
    put("ѕ", after: "з")
    put("іј", after: "и")
    put("қ", after: "к")
    put("љ", after: "л")
    put("њң", after: "н")
    put("ө", after: "о")
    put("ћ", after: "т")
    put("ұү", after: "у")
    put("һ", after: "х")
    put("џ", after: "ч")
    // Persian, Urdu.
    put("پ", after: "ب")
    put("ٹ", after: "ت")
    put("چ", after: "ج")
    put("ڈ", after: "د")
    put("ڑ", after: "ر")
    put("ژ", after: "ز")
    put("گ", after: "ك")
    put("ں", after: "ن")
    put("ھہ", after: "ه")
    put("ے", after: "ي")
    return neighbours
}()
