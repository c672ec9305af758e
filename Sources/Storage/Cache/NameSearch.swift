import Model
import SQLite

extension CacheReader {
    /// Persons for a desktop's launcher: first those whose given name, family name or username begins with the words, then those
    /// where the words begin other parts of their names; shorter names first.
    /// - Parameter time: what takes longer is stopped, and finds nobody.
    package func people(named text: String, limit: Int, within time: Duration) async throws -> [User] {
        guard limit > 0, time > .zero, Self.isSearchable(text) else { return [] }
        let search = NameSearch(words: try FullText.words(of: text))
        var reader = self
        reader.limit = time
        do {
            return try await reader.read { try search.people(limit, $0) }
        } catch CacheError.slow {
            return []
        }
    }

    /// Whether the text has enough letters to tell people apart, and no more words than a search may have.
    package static func isSearchable(_ text: String) -> Bool {
        guard let words = try? FullText.words(of: text) else { return false }
        let letters = words.flatMap { splitIntoRuns(folded(String($0))) }.map(\.letters).joined(separator: "")
        return letters.count >= 3 || letters.unicodeScalars.contains(where: \.isEastAsian)
    }
}

/// Words that begin names.
private struct NameSearch {
    /// The texts of a column that begin so, as a range.
    private struct Beginning {
        let values: [Value]

        init(_ text: String) { values = [text.value, (text + "\u{10FFFF}").value] }

        static func condition(_ column: String) -> String { "\(column) >= ? AND \(column) < ?" }
    }

    private struct Word {
        /// The query in the language of FTS5.
        let query: String
        let username: Beginning
        /// The beginning of the sort key of a name, in each spelling.
        let keys: [String]

        init?(_ typed: Substring) {
            guard let word = SearchWord(typed) else { return nil }
            query = word.queryOfNames
            // The comma of “Keller, Anna” is no part of the name.
            let scalars = typed.unicodeScalars.drop { !$0.isPartOfWord }
            let end = scalars.lastIndex { $0.isPartOfWord }
            let name = String(Substring(end.map { scalars[...$0] } ?? scalars))
            username = Beginning(name)
            let squeezed = squeezed(folded(name)[...], isBeginning: true)
            keys = [UserRow.key(name)] + (squeezed.map { [UserRow.key($0)] } ?? [])
        }

        /// A condition for those with the word in their names or at the beginning of their usernames.
        var isThere: (sql: String, values: [Value]) {
            let sql = """
                users.number IN (
                    SELECT rowid FROM user_words WHERE user_words MATCH ?
                    UNION ALL SELECT number FROM users WHERE \(Beginning.condition("username"))
                )
                """
            return (sql, [query.value] + username.values)
        }

        /// A condition for those whose username, family name or given name begins with the word.
        var isFirst: (sql: String, values: [Value]) {
            let isKey = "\(Beginning.condition("name_key")) OR instr(name_key, ?)"
            let sql = ([Beginning.condition("username")] + keys.map { _ in isKey }).joined(separator: " OR ")
            let values = keys.flatMap { Beginning($0).values + ["\u{1}\($0)".value] }
            return ("ifnull(\(sql), FALSE)", username.values + values)
        }
    }

    private let words: [Word]

    init(words: [Substring]) { self.words = FullText.distinct(words).compactMap { Word($0) } }

    func people(_ limit: Int, _ connection: Connection) throws -> [User] {
        guard !words.isEmpty else { return [] }
        var filter = Filter()
        for word in words { filter.add(word.isThere.sql, word.isThere.values) }
        try filter.add([.person], connection)
        let numbers = try connection.rows(
            """
            SELECT number FROM users \(filter.clause)
            ORDER BY \(words.map(\.isFirst.sql).joined(separator: " AND ")) DESC, length(name_key), name_key, number LIMIT ?
            """, filter.bindings + words.flatMap(\.isFirst.values) + [limit.value]
        ) { try $0.int(0) }
        return try numbers.compactMap { try UserRows.user($0, connection) }
    }
}
