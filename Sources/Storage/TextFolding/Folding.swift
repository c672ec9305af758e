/// Removes case and accents, for comparison; replaces letters without a decomposition by those they are sorted with.
///
/// Keeps marks that make another letter: Indic vowel signs, kana voicing, Hangul.
package func folded(_ text: String) -> String { folded(text).text }

/// - Returns: also whether the folded text is, canonically, no other than the text in lower case.
package func folded(_ text: String) -> (text: String, onlyLowercases: Bool) {
    var (text, onlyLowercases) = (text, true)
    let quick = text.withUTF8 { bytes -> String? in
        var isSimple = true
        // No letter of the table takes more than three bytes in place of two.
        let result = String(unsafeUninitializedCapacity: bytes.count * 3 / 2) { result in
            var (at, count) = (0, 0)
            while at < bytes.count {
                let byte = bytes[at]
                if byte < 0x80 {
                    result[count] = UInt8(ascii: "A")...UInt8(ascii: "Z") ~= byte ? byte | 0x20 : byte
                    (at, count) = (at + 1, count + 1)
                    continue
                }
                guard let length = SimpleLetters.write(bytes, &at, to: result, count, &onlyLowercases) else {
                    isSimple = false
                    return 0
                }
                count += length
            }
            return count
        }
        return isSimple ? result : nil
    }
    return quick.map { ($0, onlyLowercases) } ?? foldedByScalars(text)
}
