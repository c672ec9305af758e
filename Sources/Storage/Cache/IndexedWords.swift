import SQLite

/// What FTS5 is asked for to find users by the beginnings of words.
///
/// Before it gives the first row of a prefix, it merges those of all words that begin so: of a word that nearly all users have,
/// such as the domain of their addresses, these are very many. Of whole words it reads rows as they are asked for. So a prefix
/// that begins few words of the index is replaced by these.
package enum IndexedWords {
    private static let few = 4
    /// Shorter ones have an index of their own, which is read as that of whole words.
    private static let shortest = 3

    package static func expression(_ words: [Substring], _ connection: Connection) throws -> Value {
        let tokenizer = try Tokenizer(WordTest.tokenize, of: connection)
        try connection.run(
            "CREATE VIRTUAL TABLE IF NOT EXISTS temp.user_terms USING fts5vocab (main, user_words, instance)")
        var parts: [String] = []
        for word in words {
            let tokens = tokenizer.tokens(of: String(word))
            // Such as a dash: it narrows nothing.
            guard tokens.count > 0 else { continue }
            let whole = try tokens.only.map { try beginning(with: $0, tokenizer, connection) } ?? []
            parts.append(
                whole.isEmpty ? "\"\(word)\"*" : "(\(whole.map { "\"\($0)\"" }.joined(separator: " OR ")))")
        }
        return parts.isEmpty ? FullText.prefixes(words) : .text(parts.joined(separator: " AND "))
    }

    /// The words of the index that begin so; empty for none, and for many.
    private static func beginning(
        with prefix: String, _ tokenizer: Tokenizer, _ connection: Connection
    ) throws -> [String] {
        guard prefix.unicodeScalars.count >= shortest else { return [] }
        var found: [String] = []
        var from = prefix
        while let term = try connection.first(
            "SELECT term FROM temp.user_terms WHERE term >= ? LIMIT 1", [from.value], { try $0.text(0) }),
            term.utf8.starts(with: prefix.utf8)
        {
            // FTS5 splits what it is asked for as well.
            let isOneWord = tokenizer.tokens(of: term).only.map { $0.utf8.elementsEqual(term.utf8) } == true
            guard isOneWord, found.count < few else { return [] }
            found.append(term)
            // No word has this character.
            from = term + "\u{1}"
        }
        return found
    }
}
