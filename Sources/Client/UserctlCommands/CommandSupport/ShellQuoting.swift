import Model

/// A word quoted for a shell, for commands that people copy. The word may come from upstream.
///
/// Only characters without a meaning in any shell stay unquoted. Words with characters outside ASCII are
/// quoted: their blanks may turn into spaces when copied. `=` is quoted because zsh expands it at the start
/// of a word.
func shellQuoted(_ word: String) -> String {
    let isPlain = word.utf8.allSatisfy { $0.isAlphanumeric || "@%+:,./_-".utf8.contains($0) }
    return isPlain && !word.isEmpty ? word : "'" + word.replacing("'", with: #"'\''"#) + "'"
}
