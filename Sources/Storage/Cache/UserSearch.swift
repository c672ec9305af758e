import Model
import SQLite

/// What users are searched for: every word as the beginning of one of theirs; a telephone number also by its digits.
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

    /// The words, if nothing else is searched for.
    var words: [Substring]? {
        var words: [Substring] = []
        for part in parts {
            guard case .word(let word) = part else { return nil }
            words.append(word)
        }
        return FullText.distinct(words)
    }

    /// A statement for the numbers of all users who match, in ascending order.
    var numbers: (sql: String, bindings: [Value]) {
        var filter = Filter()
        add(to: &filter)
        return ("SELECT number FROM users \(filter.clause) ORDER BY number", filter.bindings)
    }

    func add(to filter: inout Filter) {
        var plain: [Substring] = []
        for part in parts {
            switch part {
            case .word(let word): plain.append(word)
            case .numbers(let numbers):
                let each = numbers.map { number in
                    // It may also be a word, such as a postcode.
                    Condition.any([Condition(words: [number]), Condition(digits: number)])
                }
                // 030 1234567 is one number, although 030 alone is too short to be looked for in numbers.
                let whole = numbers.count > 1 ? Condition(digits: numbers.joined()) : nil
                let condition = Condition.any([.all(each), whole])
                filter.add(condition.sql, condition.bindings)
            }
        }
        if !plain.isEmpty {
            let condition = Condition(words: plain)
            filter.add(condition.sql, condition.bindings)
        }
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

    /// The digits of a telephone number, in a run; nil for fewer than four.
    init?(digits text: some StringProtocol) {
        let digits = text.decimalDigits
        guard digits.count >= 4 else { return nil }
        // NOT NULL lets SQLite read the index alone.
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
    /// Whether it is digits and what is written between those of a telephone number.
    fileprivate var isNumber: Bool {
        unicodeScalars.allSatisfy {
            "0"..."9" ~= $0 || "+()-./".unicodeScalars.contains($0)
                || (!$0.isASCII && $0.properties.numericType == .decimal)
        }
    }
}
