import CUTF8Proc
import Glibc

/// Removes case, accents and the width and shape of letters, for comparison; replaces letters without a decomposition by
/// those that they sort with.
///
/// Keeps marks that make another letter: Indic vowel signs, kana voicing, Hangul.
package func folded(_ text: String) -> String {
    if isASCII(text) { return text.lowercased() }
    return foldedByLetters(text) ?? foldedByRule(text)
}

func foldedByRule(_ text: String) -> String {
    var result = String.UnicodeScalarView()
    for scalar in normalized(text, UTF8PROC_DECOMPOSE, UTF8PROC_COMPAT).unicodeScalars {
        for letter in scalar.properties.lowercaseMapping.unicodeScalars {
            if let letters = undecomposed[letter] {
                result.append(contentsOf: letters.unicodeScalars)
            } else if !isAccent(letter), letter.properties.generalCategory != .format {
                result.append(letter)
            }
        }
    }
    let folded = String(result)
    return isASCII(folded) ? folded : normalized(folded, UTF8PROC_COMPOSE)
}

private func isASCII(_ text: String) -> Bool { text.utf8.allSatisfy { $0 < 0x80 } }

func decomposed(_ text: String) -> String { normalized(text, UTF8PROC_DECOMPOSE) }

/// The text in a canonical form: UAX #15.
private func normalized(_ text: String, _ forms: utf8proc_option_t...) -> String {
    var (text, bytes) = (text, UnsafeMutablePointer<UInt8>?.none)
    let options = utf8proc_option_t(forms.reduce(UTF8PROC_STABLE.rawValue) { $0 | $1.rawValue })
    let count = text.withUTF8 { utf8proc_map($0.baseAddress, $0.count, &bytes, options) }
    defer { free(bytes) }
    // Fails only if memory runs out, which ends a Swift program anyway.
    precondition(count >= 0, "utf8proc: \(count)")
    return String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self)
}

/// Canonical combining classes (Unicode Standard, table 4-3): 10 to 35 are the points of Hebrew, Arabic and Syriac; 200
/// and more are marks around a letter. 1 to 9 (overlays, nuktas, voicing marks, viramas) belong to their letter.
private func isAccent(_ scalar: Unicode.Scalar) -> Bool {
    scalar.properties.canonicalCombiningClass.rawValue >= 10
}

private let undecomposed: [Unicode.Scalar: String] = [
    "æ": "ae", "œ": "oe", "ø": "o", "ß": "ss", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "ħ": "h", "ı": "i",
    "ŧ": "t", "ŋ": "n", "ĸ": "k", "ſ": "s", "ƒ": "f",
    // The sigma at the end of a word, and letters that Arabic and Persian keyboards have in two forms; tatweel only
    // stretches a word.
    "ς": "σ", "ی": "ي", "ى": "ي", "ک": "ك", "ة": "ه", "ـ": "",
]
