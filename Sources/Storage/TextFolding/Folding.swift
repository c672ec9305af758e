import CUTF8Proc
import Glibc

/// Text as it is compared where case and accents do not count: decomposed, marks on letters dropped, in lower case,
/// letters that have no decomposition replaced by those they are sorted with.
///
/// Marks that make another letter rather than accent one stay: Indic vowel signs, kana voicing, Hangul.
package func folded(_ text: String) -> String {
    if isASCII(text) { return text.lowercased() }
    var result = String.UnicodeScalarView()
    for scalar in normalized(text, UTF8PROC_DECOMPOSE).unicodeScalars {
        if scalar.isASCII {
            result.append(lowercase(scalar))
            continue
        }
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

private func lowercase(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
    "A"..."Z" ~= scalar ? Unicode.Scalar(UInt8(scalar.value) | 0x20) : scalar
}

private func isASCII(_ text: String) -> Bool { text.utf8.allSatisfy { $0 < 0x80 } }

/// In a canonical form: UAX #15.
private func normalized(_ text: String, _ form: utf8proc_option_t) -> String {
    var (text, bytes) = (text, UnsafeMutablePointer<UInt8>?.none)
    let options = utf8proc_option_t(UTF8PROC_STABLE.rawValue | form.rawValue)
    let count = text.withUTF8 { utf8proc_map($0.baseAddress, $0.count, &bytes, options) }
    defer { free(bytes) }
    // Nothing but a lack of memory fails here, of which Swift's own strings make an end, too.
    precondition(count >= 0, "utf8proc: \(count)")
    return String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self)
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
