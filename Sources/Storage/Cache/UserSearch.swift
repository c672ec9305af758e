import BitCollections
import Model
import SQLite

/// A search for users: each word must begin one of a user's words; a telephone number is also found by its
/// digits.
struct UserSearch {
    /// Words, and runs of neighbouring words that may be one telephone number.
    private enum Part {
        case word(Substring)
        case numbers([Substring])
    }

    private var parts: [Part] = []

    /// Nil if there is no word to search for.
    init?(_ search: String) throws {
        let words = try FullText.words(of: search)
        guard !words.isEmpty else { return nil }
        for word in words {
            if !word.isNumber {
                parts.append(.word(word))
            } else if case .numbers(let others)? = parts.last {
                parts[parts.count - 1] = .numbers(others + [word])
            } else {
                parts.append(.numbers([word]))
            }
        }
    }

    /// A statement for the numbers of all matching users, in ascending order. For words alone, it reads the
    /// index only as far as its rows are read.
    var numbers: (sql: String, bindings: [Value]) {
        let words = parts.compactMap { if case .word(let word) = $0 { word } else { nil } }
        if words.count == parts.count {
            return (
                "SELECT rowid FROM user_words WHERE user_words MATCH ? ORDER BY rowid",
                [FullText.prefixes(words)]
            )
        }
        let filter = narrowing(Filter())
        return ("SELECT number FROM users \(filter.clause) ORDER BY number", filter.bindings)
    }

    /// Adds the conditions of the search to a filter.
    func narrowing(_ filter: Filter) -> Filter {
        var filter = filter
        var plain: [Substring] = []
        for part in parts {
            switch part {
            case .word(let word): plain.append(word)
            case .numbers(let numbers):
                let each = numbers.map { number in
                    // A number may also be a word, such as a postcode.
                    Condition.any([Condition(words: [number]), Condition(digits: number)])
                }
                // 030 1234567 is one number, although 030 alone is too short for a search in numbers.
                let whole = numbers.count > 1 ? Condition(digits: numbers.joined()) : nil
                let condition = Condition.any([.all(each), whole])
                filter.add(condition.sql, condition.bindings)
            }
        }
        if !plain.isEmpty {
            let condition = Condition(words: plain)
            filter.add(condition.sql, condition.bindings)
        }
        return filter
    }
}

/// The numbers of the users that match a search, read as far as needed.
package struct Matches {
    package private(set) var count = 0
    package private(set) var isComplete = false

    private let newest: Int
    private let next: () throws -> Row?
    private var numbers = BitSet()
    /// Matches up to this number have been read.
    private var reached = 0

    /// - Parameters:
    ///   - newest: the highest number of a user; higher ones are ignored, because the index may be damaged.
    ///   - next: returns rows of one number each, in ascending order unless the index is damaged.
    package init(upTo newest: Int, next: @escaping () throws -> Row?) {
        self.newest = newest
        self.next = next
    }

    /// Reads until this many matches are known.
    package mutating func read(_ most: Int) throws {
        while count < most, try readNext() {}
    }

    package mutating func contains(_ number: Int) throws -> Bool {
        while reached < number, try readNext() {}
        return numbers.contains(number)
    }

    private mutating func readNext() throws -> Bool {
        guard !isComplete, let row = try next() else {
            isComplete = true
            return false
        }
        let number = try row.int(0)
        if number > 0, number <= newest {
            numbers.insert(number)
            reached = max(reached, number)
        }
        count += 1
        return true
    }
}

private struct Condition {
    let sql: String
    let bindings: [Value]

    init(_ sql: String, _ bindings: [Value]) { (self.sql, self.bindings) = (sql, bindings) }

    init(words: [Substring]) {
        self.init(
            "users.number IN (SELECT rowid FROM user_words WHERE user_words MATCH ?)",
            [FullText.prefixes(words)])
    }

    /// Matches telephone numbers that contain these digits; nil for fewer than four.
    init?(digits text: some StringProtocol) {
        let digits = text.decimalDigits
        guard digits.count >= 4 else { return nil }
        // NOT NULL lets SQLite read only the index.
        self.init(
            "users.number IN (SELECT number FROM users WHERE digits IS NOT NULL AND digits LIKE ?)",
            ["%\(digits)%".value])
    }

    static func any(_ conditions: [Condition?]) -> Condition { joined(conditions.compactMap(\.self), " OR ") }
    static func all(_ conditions: [Condition]) -> Condition { joined(conditions, " AND ") }

    private static func joined(_ conditions: [Condition], _ word: String) -> Condition {
        guard conditions.count > 1 else { return conditions[0] }
        return Condition(
            "(" + conditions.map(\.sql).joined(separator: word) + ")", conditions.flatMap(\.bindings))
    }
}

extension Substring {
    /// Whether the text has only digits and the punctuation of telephone numbers.
    fileprivate var isNumber: Bool {
        unicodeScalars.allSatisfy {
            "0"..."9" ~= $0 || "+()-./".unicodeScalars.contains($0)
                || (!$0.isASCII && $0.properties.numericType == .decimal)
        }
    }
}
