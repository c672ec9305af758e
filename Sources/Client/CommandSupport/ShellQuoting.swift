/// A word quoted for a shell, for commands that people copy. The word may come from upstream.
///
/// Only characters without a meaning in any shell stay unquoted. Words with characters outside ASCII are
/// quoted: their blanks may turn into spaces when copied. `=` is quoted because zsh expands it at the start
/// of a word.
package func shellQuoted(_ word: String) -> String {
    let isPlain = word.utf8.allSatisfy {
        switch $0 {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "a")...UInt8(ascii: "z"):
            true
        default: "@%+:,./_-".utf8.contains($0)
        }
    }
    return isPlain && !word.isEmpty ? word : "'" + word.replacing("'", with: #"'\''"#) + "'"
}
