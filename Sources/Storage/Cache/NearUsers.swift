import Model
import SQLite

/// The names nearest to a search that finds nobody, and some of the users who have them.
///
/// Compares the index's distinct words, which are far fewer than users: those of names, and others only if no name is near.
struct NearUsers {
    /// Names, and users in a page.
    static let maximum = 10
    /// Words in place of each searched one.
    private static let nearWords = 24
    /// Users who are compared.
    static let candidates = 500
    /// Only a few of the words that a search may have are likely to be meant as one.
    private static let searchedWords = 6

    private struct NearWord {
        var word: String
        /// At most 1, for the same word.
        var nearness: Double
        var isName = false
        /// Whether other words begin with it.
        var isBeginning = false

        var indexed: String { (isName ? WordKind.name.rawValue : "") + word }
        var query: String { "\"\(indexed)\"" + (isBeginning ? "*" : "") }

        func isAmong(_ words: Set<Substring>) -> Bool {
            isBeginning ? words.contains { $0.hasPrefix(word) } : words.contains(indexed[...])
        }
    }

    /// A name as it is written, and those who have it.
    private typealias Named = (value: String, count: Int, numbers: [Int])

    /// The searched words, and what is near each, the nearest first.
    private var words: [(searched: String, near: [NearWord])]

    /// Nil if nothing is near.
    init?(to search: String, _ connection: Connection) throws {
        words = try FullText.words(of: search).compactMap { SearchWord($0)?.runs.joined() }
            .filter { Letters($0).isWord }.prefix(Self.searchedWords).map { ($0, []) }
        let nearness = words.map { Nearness(to: Letters($0.searched)) }
        for isName in [true, false] {
            let lacking = words.indices.filter { words[$0].near.isEmpty }
            if lacking.isEmpty { break }
            // The words before a letter are numbers, and those of a kind.
            let (from, to) = isName ? (WordKind.name.rawValue, "#$") : ("a", "\u{10FFFF}")
            var term: [UInt8] = []
            try connection.forEach(
                "SELECT term FROM user_terms WHERE term >= ? AND term < ?", [from.value, to.value]
            ) { row in
                term.removeAll(keepingCapacity: true)
                try row.appendUTF8(0, to: &term)
                let word = term.dropFirst(isName ? from.utf8.count : 0)
                let letters = Letters(utf8: word)
                guard letters.isWord else { return }
                for index in lacking {
                    guard let nearness = nearness[index].of(letters) else { continue }
                    let text = String(decoding: word, as: UTF8.self)
                    words[index].near.append(NearWord(word: text, nearness: nearness, isName: isName))
                }
            }
            for index in lacking {
                words[index].near.sort { ($1.nearness, $0.word) < ($0.nearness, $1.word) }
                words[index].near.removeLast(max(0, words[index].near.count - Self.nearWords))
            }
        }
        if words.allSatisfy(\.near.isEmpty) { return nil }
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
            found = try people(
                words.map { [NearWord(word: $0, nearness: 1, isBeginning: true)] + $1 }, filter, connection)
        }
        let near = words.flatMap(\.near)
        let names = near.filter(\.isName).sorted { ($1.nearness, $0.word) < ($0.nearness, $1.word) }
        if found.isEmpty {
            found =
                try names.isEmpty
                ? people([near], filter, connection) : having(names, filter, most, connection)
        }
        let share = max(1, most / max(found.count, 1))
        var users: [Int] = []
        for number in found.flatMap({ $0.numbers.prefix(share) }) where !users.contains(number) {
            users.append(number)
        }
        return (found.map { Near.Value($0.value, count: $0.count) }, users)
    }

    /// Those who have one of these words in their names, by that part of the name.
    private func having(
        _ names: [NearWord], _ filter: Filter, _ most: Int, _ connection: Connection
    ) throws -> [Named] {
        var found: [Named] = []
        for name in names where found.count < Self.maximum {
            let filter = filter.adding(name.query)
            let numbers = try connection.rows(
                "SELECT number FROM users \(filter.clause) LIMIT ?", filter.bindings + [most.value]
            ) { try $0.int(0) }
            guard let first = numbers.first, let user = try UserRows.user(first, connection) else { continue }
            let part = user.part(with: name.indexed)
            // Two spellings of one name.
            if found.contains(where: { $0.value == part }) { continue }
            let count = numbers.count < most ? numbers.count : try filter.count(in: "users", connection)
            found.append((part, count, numbers))
        }
        return found
    }

    /// Those who have one of each of these words, by their whole names.
    private func people(
        _ words: [[NearWord]], _ filter: Filter, _ connection: Connection
    ) throws -> [Named] {
        // There may be more candidates than are compared, so those who are called alike are looked for first.
        for least in [Nearness.alike, 0] {
            let words = words.map { $0.filter { $0.nearness >= least } }
            if words.contains(where: \.isEmpty) { continue }
            let filter = filter.adding(
                words.map { "(" + $0.map(\.query).joined(separator: " OR ") + ")" }.joined(separator: " AND ")
            )
            var found: [String: (nearness: Double, numbers: [Int])] = [:]
            try connection.forEach(
                "SELECT number, words, name_key FROM users \(filter.clause) LIMIT ?",
                filter.bindings + [Self.candidates.value]
            ) { row in
                let present = Set(try row.text(1).split(separator: " "))
                let nearness = words.reduce(0) { sum, near in
                    sum + (near.first { $0.isAmong(present) }?.nearness ?? 0)
                }
                let others = found[try row.text(2)] ?? (0, [])
                found[try row.text(2)] = (max(nearness, others.0), others.1 + [try row.int(0)])
            }
            guard !found.isEmpty else { continue }
            let nearest = found.sorted {
                ($1.value.nearness, $0.value.numbers[0]) < ($0.value.nearness, $1.value.numbers[0])
            }.prefix(Self.maximum)
            // There may be more users of these names than were compared.
            var named = filter
            named.add(
                "name_key IN (SELECT value FROM json_each(?))", .text(try json(nearest.map(\.key))))
            var counts: [String: Int] = [:]
            try connection.forEach(
                "SELECT name_key, count(*) FROM users \(named.clause) GROUP BY name_key", named.bindings
            ) { counts[try $0.text(0)] = try $0.int(1) }
            return try nearest.compactMap { key, near in
                try UserRows.user(near.numbers[0], connection).map {
                    ($0.wholeName, counts[key] ?? near.numbers.count, near.numbers)
                }
            }
        }
        return []
    }
}

extension Filter {
    fileprivate func adding(_ query: String) -> Filter {
        var filter = self
        filter.add("users.number IN (SELECT rowid FROM user_words WHERE user_words MATCH ?)", query.value)
        return filter
    }
}

extension UserRows {
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
