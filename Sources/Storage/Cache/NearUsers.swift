import Model
import SQLite

/// The names nearest to a search that finds nobody, and some of the users who have them.
///
/// Compares the index's distinct words, which are far fewer than users: those of names and, if none is near, the others with the
/// same first letter. Others are many more than names, because each user has some that nobody else has.
struct NearUsers {
    /// Names, and users in a page.
    static let maximum = 10
    /// Words in place of each searched one.
    private static let nearWords = 24
    /// Users whose names are compared.
    private static let candidates = 500
    /// Only a few of the words that a search may have are likely to be meant as one.
    private static let searchedWords = 6

    private struct NearWord {
        /// The word, as the index has it.
        var term: String
        /// At most 1, for the same word.
        var nearness = 1.0
        /// Whether other words begin with it.
        var isBeginning = false

        var query: String { "\"\(term)\"" + (isBeginning ? "*" : "") }
    }

    /// A name as it is written, and a filter for those who have it.
    private typealias Named = (value: String, filter: Filter)

    private let searched: [String]
    /// What is near each searched word, the nearest first.
    private var words: [[NearWord]]
    private var names: [NearWord] {
        words.flatMap { $0 }.filter { $0.term.hasPrefix(WordKind.name.rawValue) }.sorted(by: Self.isNearer)
    }

    /// Nil if nothing is near.
    init?(to search: String, _ connection: Connection) throws {
        searched = try FullText.words(of: search).compactMap { SearchWord($0)?.runs.joined() }
            .filter { Letters($0).isWord }.prefix(Self.searchedWords).map(\.self)
        words = searched.map { _ in [] }
        try look(among: WordKind.name.rawValue, for: words.indices, without: WordKind.name, connection)
        for (index, word) in searched.enumerated() where words[index].isEmpty {
            try look(among: String(word.unicodeScalars.prefix(1)), for: index..<index + 1, connection)
        }
        if words.allSatisfy(\.isEmpty) { return nil }
    }

    /// Finds what is near some of the searched words among the index's words that begin so.
    /// - Parameter kind: of these words.
    private mutating func look(
        among beginning: String, for searched: Range<Int>, without kind: WordKind? = nil,
        _ connection: Connection
    ) throws {
        let nearness = self.searched.map { Nearness(to: Letters($0)) }
        var term: [UInt8] = []
        try connection.forEach(
            "SELECT term FROM user_terms WHERE term >= ? AND term < ?",
            [beginning.value, (beginning + "\u{10FFFF}").value]
        ) { row in
            term.removeAll(keepingCapacity: true)
            try row.appendUTF8(0, to: &term)
            let letters = Letters(utf8: term.dropFirst(kind?.rawValue.utf8.count ?? 0))
            guard letters.isWord else { return }
            for index in searched {
                guard let nearness = nearness[index].of(letters) else { continue }
                words[index].append(NearWord(term: String(decoding: term, as: UTF8.self), nearness: nearness))
            }
        }
        for index in searched {
            words[index] = Array(words[index].sorted(by: Self.isNearer).prefix(Self.nearWords))
        }
    }

    private static func isNearer(_ word: NearWord, _ other: NearWord) -> Bool {
        (other.nearness, word.term) < (word.nearness, other.term)
    }

    /// The nearest names that users have whom the filter selects, and users with them, the nearest first: with all words near,
    /// or else with some of them.
    /// - Parameter most: of the users.
    func found(
        _ filter: Filter, most: Int = Self.maximum, _ connection: Connection
    ) throws -> (names: [Near.Value], users: [Int]) {
        var found: [Named] = []
        if words.count > 1 {
            // A word may also be the beginning of one that is not a name: anna sales.
            let words = zip(searched, words).map { [NearWord(term: $0, isBeginning: true)] + $1 }
            found = try people(words, filter, connection)
        }
        if found.isEmpty {
            let others = words.flatMap { $0 }
            found =
                try names.isEmpty ? people([others], filter, connection) : having(names, filter, connection)
        }
        let share = max(1, most / max(found.count, 1))
        var users: [Int] = []
        let values = try found.map { value, filter in
            users += try connection.rows(
                "SELECT number FROM users \(filter.clause) LIMIT ?", filter.bindings + [share.value]
            ) { try $0.int(0) }.filter { !users.contains($0) }
            return Near.Value(value, count: try filter.count(in: "users", connection))
        }
        return (values, users)
    }

    /// Those who have one of these words in their names, by that part of the name.
    private func having(
        _ names: [NearWord], _ filter: Filter, _ connection: Connection
    ) throws -> [Named] {
        var found: [Named] = []
        for name in names where found.count < Self.maximum {
            let filter = filter.matching(name.query)
            guard
                let user = try connection.firstInt(
                    "SELECT number FROM users \(filter.clause)", filter.bindings
                )
                .flatMap({ try UserRows.user($0, connection) })
            else { continue }
            let part = user.part(with: name.term)
            // There may be two spellings of one name.
            if !found.contains(where: { $0.value == part }) { found.append((part, filter)) }
        }
        return found
    }

    /// Those who have one of each of these words, by their whole names: first those with the nearest words.
    private func people(
        _ words: [[NearWord]], _ filter: Filter, _ connection: Connection
    ) throws -> [Named] {
        var found: [Named] = []
        for least in [Nearness.alike, 0.75, 0.6, 0] where found.count < Self.maximum {
            let queries = words.map { $0.filter { $0.nearness >= least }.map(\.query) }
            if queries.contains(where: \.isEmpty) { continue }
            let matching = filter.matching(
                queries.map { "(" + $0.joined(separator: " OR ") + ")" }.joined(separator: " AND "))
            try connection.forEach(
                """
                SELECT name_key, min(number) FROM (SELECT name_key, number FROM users \(matching.clause) LIMIT ?)
                GROUP BY name_key LIMIT ?
                """, matching.bindings + [Self.candidates.value, Self.maximum.value]
            ) { row in
                guard let user = try UserRows.user(row.int(1), connection),
                    !found.contains(where: { $0.value == user.wholeName })
                else { return }
                var named = filter
                named.add("name_key = ?", try row.value(0))
                found.append((user.wholeName, named))
            }
        }
        return Array(found.prefix(Self.maximum))
    }
}

extension Filter {
    fileprivate func matching(_ query: String) -> Filter {
        var filter = self
        filter.add("users.number IN (SELECT rowid FROM user_words WHERE user_words MATCH ?)", query.value)
        return filter
    }
}

extension UserRows {
    static func record(_ number: Int, _ connection: Connection) throws -> [UInt8]? {
        try connection.first("SELECT record FROM user_records WHERE number = ?", [number.value]) {
            try $0.bytes(0)
        }
    }

    static func user(_ number: Int, _ connection: Connection) throws -> User? {
        try connection.first("SELECT record FROM user_records WHERE number = ?", [number.value]) {
            try decoded(User.self, from: try $0.text(0))
        }
    }
}

extension User {
    var wholeName: String { [name.first, name.last].filter { !$0.isEmpty }.joined(separator: " ") }

    /// The part of the name that the index has as this word, as it is written: of Meyer-Schulz, Meyer.
    fileprivate func part(with word: String) -> String {
        let names = [name.last, name.first, displayName ?? ""]
        let parts = names.flatMap { $0.split { $0.isWhitespace || $0 == "-" }.map(String.init) } + names
        return parts.first { part in
            var words = IndexedWords()
            words.kind = .name
            words.add(name: part)
            return String(decoding: words.text, as: UTF8.self).split(separator: " ").contains(word[...])
        } ?? wholeName
    }
}
