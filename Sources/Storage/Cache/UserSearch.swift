import Model
import SQLite

/// A search for users: each word must begin one of a user's words, in any spelling; a telephone number is also
/// found by its digits, however it is written.
struct UserSearch {
    private enum Part {
        /// A query in the language of FTS5, and the one that finds only names.
        case query(String, inNames: String)
        /// Neighbouring words that may be one telephone number.
        case numbers([Substring])
    }

    private var parts: [Part] = []

    /// Nil if there is no word to search for.
    init?(_ search: String, _ connection: Connection) throws {
        var words: [SearchWord] = []
        func exists(_ query: String) throws -> Bool {
            try connection.firstInt(matching + " LIMIT 1", [query.value]) != nil
        }
        func endWords() throws {
            parts += try SearchWord.queries(words) { try exists("\"\($0)\"") }.map { .query($0, inNames: $1) }
            words = []
        }
        for text in try FullText.words(of: search) {
            if case .numbers(let others)? = parts.last, words.isEmpty, text.isNumber || text.marksExtension {
                parts[parts.count - 1] = .numbers(others + [text])
            } else if text.isNumber {
                try endWords()
                parts.append(.numbers([text]))
            } else if var word = SearchWord(text) {
                word.isOfCompany = try word.runs.allSatisfy { try isOfFewCompanies($0, connection) }
                words.append(try word.asName.flatMap { try exists(word.query()) ? nil : $0 } ?? word)
            }
        }
        try endWords()
        guard !parts.isEmpty else { return nil }
    }

    /// Searches that together find the same users, each once: first those with all of its words in their names, then those with one
    /// of several, then the others.
    var byMatch: [UserSearch] {
        let names = parts.compactMap { if case .query(_, let inNames) = $0 { inNames } else { nil } }
        let query = parts.firstIndex { if case .query = $0 { true } else { false } }
        guard let query, case .query(let words, _) = parts[query] else { return [self] }
        let some = "(\(names.joined(separator: " OR ")))"
        var (inAll, inSome, others) = (self, self, self)
        inAll.parts = parts.map {
            if case .query(_, let inNames) = $0 { .query(inNames, inNames: "") } else { $0 }
        }
        inSome.parts[query] = .query(
            "(\(words) AND (\(some) NOT (\(names.joined(separator: " AND ")))))", inNames: "")
        others.parts[query] = .query("((\(words)) NOT \(some))", inNames: "")
        return names.count == 1 ? [inAll, others] : [inAll, inSome, others]
    }

    /// A statement for the numbers of all matching users, in ascending order. For words alone, it reads the
    /// index only as far as its rows are read.
    var numbers: (sql: String, bindings: [Value]) {
        let queries = parts.compactMap { if case .query(let query, _) = $0 { query } else { nil } }
        if queries.count == parts.count {
            return (matching + " ORDER BY rowid", [queries.joined(separator: " AND ").value])
        }
        let filter = narrowing(Filter())
        return ("SELECT number FROM users \(filter.clause) ORDER BY number", filter.bindings)
    }

    /// Adds the conditions of the search to a filter.
    func narrowing(_ filter: Filter) -> Filter {
        var filter = filter
        var queries: [String] = []
        for part in parts {
            switch part {
            case .query(let query, _): queries.append(query)
            case .numbers(let numbers):
                let each = numbers.map { number in
                    // A number may also be a word, such as a postcode.
                    Condition.any([
                        SearchWord(number).map { Condition(query: $0.query()) },
                        Condition(telephone: String(number)),
                    ])
                }
                // 030 1234567 is one number, although 030 alone is too short for a search in numbers.
                let whole = numbers.count > 1 ? Condition(telephone: numbers.joined(separator: " ")) : nil
                let employee = numbers.count > 1 ? SearchWord.number(lettersOnly(numbers.joined()[...])) : nil
                let condition = Condition.any([.all(each), whole, employee.map { Condition(query: $0) }])
                filter.add(condition.sql, condition.bindings)
            }
        }
        if !queries.isEmpty {
            let condition = Condition(query: queries.joined(separator: " AND "))
            filter.add(condition.sql, condition.bindings)
        }
        return filter
    }
}

private let matching = "SELECT rowid FROM user_words WHERE user_words MATCH ?"

/// Whether words of companies begin so, and fewer than a tenth of the users have them: others say nothing about a person.
private func isOfFewCompanies(_ beginning: String, _ connection: Connection) throws -> Bool {
    let first = WordKind.company.rawValue + beginning
    let count = try connection.firstInt(
        "SELECT ifnull(sum(doc), 0) FROM user_terms WHERE term >= ? AND term < ?",
        [first.value, (first + "\u{10FFFF}").value])
    guard let count, count > 0 else { return false }
    return count * 10 < (try History.saved(connection)[.users]?.state.count ?? 0)
}

private struct Condition {
    let sql: String
    let bindings: [Value]

    init(_ sql: String, _ bindings: [Value]) { (self.sql, self.bindings) = (sql, bindings) }

    init(query: String) { self.init("users.number IN (\(matching))", [query.value]) }

    /// Matches telephone numbers that contain these digits, and whole numbers that end alike; nil if there are
    /// too few digits.
    init?(telephone text: String) {
        let number = TelephoneNumber(text)
        var conditions: [Condition] = []
        let typed = text.decimalDigits
        if typed.count >= 4 {
            // A leading 0 is not among the digits, except in the middle of a number, such as its last four.
            let digits = number.digits.count >= 3 || number.extensionDigits != nil ? number.digits : typed
            if digits.count >= 3 { conditions.append(Condition("digits LIKE ?", ["%\(digits)%".value])) }
        }
        if let digits = number.extensionDigits, digits.count > 1 {
            conditions.append(Condition("digits || ' ' LIKE ?", ["%\(digits) %".value]))
        }
        guard !conditions.isEmpty else { return nil }
        let condition = Self.all(conditions)
        // NOT NULL lets SQLite read only the index.
        let contained = Condition(
            "users.number IN (SELECT number FROM users WHERE digits IS NOT NULL AND \(condition.sql))",
            condition.bindings)
        let ends = number.shorterEnds.map { Condition(query: $0) }
        self = Self.any([contained, ends])
    }

    static func any(_ conditions: [Condition?]) -> Condition { joined(conditions.compactMap(\.self), " OR ") }
    static func all(_ conditions: [Condition]) -> Condition { joined(conditions, " AND ") }

    private static func joined(_ conditions: [Condition], _ word: String) -> Condition {
        guard conditions.count > 1 else { return conditions[0] }
        return Condition(
            "(" + conditions.map(\.sql).joined(separator: word) + ")", conditions.flatMap(\.bindings))
    }
}

extension TelephoneNumber {
    /// A query for the numbers without a country's code, and the extensions, with which this number ends; nil
    /// if it is too short to be whole.
    fileprivate var shorterEnds: String? {
        // 15 digits at most: ITU-T E.164, section 6.
        guard 9...15 ~= digits.count, extensionDigits == nil else { return nil }
        return (Self.shortest..<digits.count).map { "\"#\(digits.suffix($0))\"" }.joined(separator: " OR ")
    }
}

extension Substring {
    /// Whether the text has only digits and the punctuation of telephone numbers.
    fileprivate var isNumber: Bool {
        guard !decimalDigits.isEmpty else { return false }
        var rest = lowercased()[...]
        if rest.hasPrefix("tel:") { rest = rest.dropFirst(4) }
        for mark in [";ext=", "ext.", "ext", "x", "#"] {
            guard let place = rest.firstRange(of: mark) else { continue }
            return rest[..<place.lowerBound].hasNumberOnly && rest[place.upperBound...].hasNumberOnly
        }
        return rest.hasNumberOnly
    }

    /// Whether an extension follows.
    fileprivate var marksExtension: Bool { ["x", "ext", "ext.", "#"].contains(lowercased()) }

    private var hasNumberOnly: Bool {
        unicodeScalars.allSatisfy {
            "0"..."9" ~= $0 || "+()-./".unicodeScalars.contains($0)
                || (!$0.isASCII && $0.properties.numericType == .decimal)
        }
    }
}
