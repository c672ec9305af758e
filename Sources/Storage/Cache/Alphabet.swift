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

private let neighbours: [Unicode.Scalar: Unicode.Scalar] = [
    // Ukrainian, Belarusian, Serbian, Macedonian, Kazakh, Tatar.
    "ә": "а", "ґ": "г", "ғ": "г", "ђ": "д", "є": "е", "җ": "ж", "ѕ": "з", "і": "и", "ј": "и", "қ": "к",
    "љ": "л", "њ": "н", "ң": "н", "ө": "о", "ћ": "т", "ұ": "у", "ү": "у", "һ": "х", "џ": "ч",
    // Persian, Urdu.
    "پ": "ب", "ٹ": "ت", "چ": "ج", "ڈ": "د", "ڑ": "ر", "ژ": "ز", "گ": "ك", "ں": "ن", "ھ": "ه", "ہ": "ه",
    "ے": "ي",
]
