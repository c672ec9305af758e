import Model
import SQLite

/// The users nearest to a search that finds nobody: those with words that contain the searched ones, or that
/// share most of their trigrams with them.
///
/// Compares the index's distinct words, which are far fewer than users.
struct NearUsers {
    static let maximum = 10
    /// Words in place of each searched one.
    private static let nearWords = 24
    /// Candidates that are compared.
    private static let candidates = 500
    /// Only a few of the words that a search may have are likely to be meant as one.
    private static let searchedWords = 6

    fileprivate struct NearWord {
        var word: String
        /// At most 1, for the same word.
        var nearness: Double
    }

    /// Of each searched word, what is near it.
    private let words: [[NearWord]]

    /// Nil if nothing is near.
    init?(to search: String, _ connection: Connection) throws {
        var searched = try FullText.words(of: search).compactMap { SearchWord($0)?.runs.joined() }
            .filter { $0.count >= 3 && !$0.allSatisfy(\.isNumber) }.prefix(Self.searchedWords)
            .map(SearchedWord.init)
        var trigrams = Trigrams()
        // The words before begin with a digit, # or @.
        try connection.forEach("SELECT term FROM user_terms WHERE term >= 'a'") { row in
            let word = try row.text(0)
            trigrams.read(word)
            for index in searched.indices { searched[index].add(word, trigrams) }
        }
        words = searched.map(\.near).filter { !$0.isEmpty }.map {
            Array($0.sorted { ($1.nearness, $0.word) < ($0.nearness, $1.word) }.prefix(Self.nearWords))
        }
        if words.isEmpty { return nil }
    }

    /// The numbers of users among those that the filter selects, nearest first: with all words near, or else
    /// with some of them.
    func numbers(_ filter: Filter, _ connection: Connection) throws -> [Int] {
        for separator in words.count > 1 ? [" AND ", " OR "] : [" AND "] {
            var filter = filter
            let query = words.map { near in
                "(" + near.map { "\"\($0.word)\"" }.joined(separator: " OR ") + ")"
            }.joined(separator: separator)
            filter.add(
                "users.number IN (SELECT rowid FROM user_words WHERE user_words MATCH ?)", query.value)
            let found = try connection.rows(
                "SELECT number, words FROM users \(filter.clause) LIMIT ?",
                filter.bindings + [Self.candidates.value]
            ) { (number: try $0.int(0), nearness: nearness(of: try $0.text(1))) }
            guard found.isEmpty else {
                return found.sorted { ($1.nearness, $0.number) < ($0.nearness, $1.number) }
                    .prefix(Self.maximum).map(\.number)
            }
        }
        return []
    }

    private func nearness(of text: String) -> Double {
        let present = Set(text.split(separator: " "))
        return words.reduce(0) { sum, near in
            sum + (near.first { present.contains($0.word[...]) }?.nearness ?? 0)
        }
    }
}

/// Three letters in a row of a word, with two blanks before it and one after it.
private struct Trigrams {
    private var codes: [UInt64] = []

    init(of word: String = "") { read(word) }

    mutating func read(_ word: String) {
        codes.removeAll(keepingCapacity: true)
        var last: UInt64 = 0
        func append(_ scalar: UInt32) {
            // A scalar has 21 bits.
            last = (last << 21 | UInt64(scalar)) & (1 << 63 - 1)
            codes.append(last)
        }
        for scalar in word.unicodeScalars { append(scalar.value) }
        append(0)
    }

    /// How many of these trigrams the other word has.
    func common(_ other: Trigrams) -> Int {
        var common = 0
        for code in codes where other.codes.contains(code) { common += 1 }
        return common
    }

    var count: Int { codes.count }
}

/// A searched word, and how near others are to it.
private struct SearchedWord {
    let word: String
    let trigrams: Trigrams
    var near: [NearUsers.NearWord] = []

    init(_ word: String) {
        self.word = word
        trigrams = Trigrams(of: word)
    }

    /// Below this, words share little more than their beginnings.
    private static let least = 0.4

    /// Adds a word if its common trigrams, twice, are enough of all of them (Dice's coefficient), or if it
    /// contains the searched one.
    mutating func add(_ other: String, _ others: Trigrams) {
        let common = trigrams.common(others)
        let nearness = 2 * Double(common) / Double(trigrams.count + others.count)
        if nearness >= Self.least {
            near.append(NearUsers.NearWord(word: other, nearness: nearness))
        } else if common >= trigrams.count - 3, other.contains(word) {
            // Two trigrams at the beginning and one at the end are not within the word.
            near.append(NearUsers.NearWord(word: other, nearness: Self.least))
        }
    }
}
