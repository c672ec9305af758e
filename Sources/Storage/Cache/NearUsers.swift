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

    private struct NearWord {
        var word: String
        /// At most 1, for the same word.
        var nearness: Double
    }

    /// Of each searched word, what is near it.
    private let words: [[NearWord]]

    /// Nil if nothing is near.
    init?(to search: String, _ connection: Connection) throws {
        let searched = try FullText.words(of: search).compactMap { SearchWord($0)?.runs.joined() }
            .filter { $0.count >= 3 && !$0.allSatisfy(\.isNumber) }.prefix(Self.searchedWords)
        var words = searched.map { _ in [NearWord]() }
        let trigrams = searched.map { Trigrams(of: $0) }
        // The words before begin with a digit, # or @.
        try connection.forEach("SELECT term FROM user_terms WHERE term >= 'a'") { row in
            let word = Trigrams(of: try row.text(0))
            for (index, trigrams) in trigrams.enumerated() {
                let nearness = trigrams.nearness(to: word)
                if nearness > 0 { words[index].append(NearWord(word: word.word, nearness: nearness)) }
            }
        }
        self.words = words.filter { !$0.isEmpty }.map {
            Array($0.sorted { ($1.nearness, $0.word) < ($0.nearness, $1.word) }.prefix(Self.nearWords))
        }
        if self.words.isEmpty { return nil }
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
    let word: String
    private let trigrams: [UInt64]

    init(of word: String) {
        self.word = word
        var last: UInt64 = 0
        // A scalar has 21 bits.
        trigrams = (word.unicodeScalars.map { UInt64($0.value) } + [0]).map { scalar in
            last = (last << 21 | scalar) & (1 << 63 - 1)
            return last
        }
    }

    /// Below this, words share little more than their beginnings.
    private static let least = 0.4

    /// Twice the common trigrams by all of them (Dice's coefficient); a word that contains this one is near.
    /// - Returns: 0 if the word is not near.
    func nearness(to other: Trigrams) -> Double {
        let common = trigrams.count { other.trigrams.contains($0) }
        let nearness = 2 * Double(common) / Double(trigrams.count + other.trigrams.count)
        if nearness >= Self.least { return nearness }
        // Two trigrams at the beginning and one at the end are not within the word.
        return common >= trigrams.count - 3 && other.word.contains(word) ? Self.least : 0
    }
}
