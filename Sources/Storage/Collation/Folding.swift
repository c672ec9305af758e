import Foundation

/// Text as it is compared where case and accents do not count: decomposed, marks on letters dropped, in lower case,
/// letters that have no decomposition replaced by those they are sorted with.
///
/// Marks that make another letter rather than accent one stay: Indic vowel signs, kana voicing, Hangul.
package func folded(_ text: String) -> String {
    if text.utf8.allSatisfy({ $0 < 0x80 }) { return text.lowercased() }
    var result = String.UnicodeScalarView()
    for scalar in text.decomposedStringWithCanonicalMapping.lowercased().unicodeScalars {
        if let letters = undecomposed[scalar] {
            result.append(contentsOf: letters.unicodeScalars)
        } else if !isAccent(scalar), scalar.properties.generalCategory != .format {
            result.append(scalar)
        }
    }
    return String(result).precomposedStringWithCanonicalMapping
}

/// Canonical combining classes (Unicode Standard, table 4-3): 10 to 35 are the points of Hebrew, Arabic and Syriac, from 200
/// on come marks placed around a letter. 1 to 9 are overlays, nuktas, voicing marks and viramas, which belong to their letter.
private func isAccent(_ scalar: Unicode.Scalar) -> Bool {
    scalar.properties.canonicalCombiningClass.rawValue >= 10
}

private let undecomposed: [Unicode.Scalar: String] = [
    "æ": "ae", "œ": "oe", "ø": "o", "ß": "ss", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "ħ": "h", "ı": "i",
    "ŧ": "t", "ŋ": "n", "ĸ": "k", "ſ": "s", "ƒ": "f",
]
