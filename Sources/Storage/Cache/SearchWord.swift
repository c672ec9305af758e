/// A word that is searched, and the queries of FTS5 that find the beginnings of its spellings.
/// https://www.sqlite.org/fts5.html#full_text_query_syntax
struct SearchWord {
    /// Folded: o'brien has two.
    let runs: [String]
    /// An address, or its end, in the form in which the index has it.
    private var address: String?
    /// Whether words of companies that begin so are searched, too.
    var isOfCompany = false

    /// An employee number with fewer characters is not searched.
    static let shortestNumber = 4

    /// - Returns: nil if there is no letter or digit.
    init?(_ text: some StringProtocol) {
        let text = text.lowercased().addressOfLink
        runs = splitIntoRuns(folded(String(text))).map { String($0.letters) }
        address = text.firstIndex(of: "@").map { at in
            let domain = lettersOnly(Substring(text[text.index(after: at)...]))
            return "@\(lettersOnly(Substring(text[..<at])))@\(domain)"
        }
        if runs.isEmpty { return nil }
    }

    /// The same word as a name if it is one side of an address: @anna.keller, keller@. Nil for other words.
    var asName: SearchWord? {
        guard let address, address.hasPrefix("@@") || address.hasSuffix("@") else { return nil }
        var name = self
        name.address = nil
        return name
    }

    /// The runs without those that begin others.
    var searched: [String] { FullText.distinct(runs.map { $0[...] }).map(String.init) }

    /// The query for this word alone: as a word of any kind and as an employee number, or by the names' words alone.
    func query(inNames: Bool = false) -> String {
        if let address { return "\"\(address)\"*" }
        let query = beginnings(inNames ? [.name] : isOfCompany ? [nil, .company] : [nil])
        return Self.number(runs.joined()).map { "(\(query) OR \($0))" } ?? query
    }

    /// The query by the names' words alone, without numbers and addresses.
    var queryOfNames: String { beginnings([.name]) }

    private func beginnings(_ kinds: [WordKind?]) -> String {
        let each = searched.map { Self.beginning($0, kinds) }.joined(separator: " AND ")
        return runs.count > 1 ? "((\(each)) OR \(Self.beginning(runs.joined(), kinds)))" : each
    }

    /// The query for an employee number; nil for what is too short to be one.
    static func number(_ letters: String) -> String? {
        letters.count < shortestNumber ? nil : "\"\(WordKind.employeeNumber.rawValue)\(letters)\""
    }

    /// The queries of neighbouring words, all of which must match; each also by names alone.
    /// - Parameter exists: whether the index has this word. It finds vandenberg as van den berg, too.
    static func queries(
        _ words: [SearchWord], where exists: (String) throws -> Bool
    ) rethrows -> [(all: String, inNames: String)] {
        var queries: [(all: String, inNames: String)] = []
        var rest = distinct(words)[...]
        while let word = rest.first {
            let count = try (2...4).last { count in
                let several = rest.prefix(count)
                guard several.count == count, several.allSatisfy({ $0.address == nil }) else { return false }
                return try exists(several.flatMap(\.runs).joined())
            }
            let several = rest.prefix(count ?? 1)
            rest = rest.dropFirst(several.count)
            func query(_ inNames: Bool) -> String {
                guard several.count > 1 else { return word.query(inNames: inNames) }
                let each = several.map { $0.query(inNames: inNames) }.joined(separator: " AND ")
                let joined = beginning(several.flatMap(\.runs).joined(), [inNames ? .name : nil])
                return "((\(each)) OR \(joined))"
            }
            queries.append((query(false), query(true)))
        }
        return queries
    }

    /// The words without those that begin others: they add nothing, and would match the most rows.
    private static func distinct(_ words: [SearchWord]) -> [SearchWord] {
        words.enumerated().filter { index, word in
            !words.enumerated().contains { other in
                other.offset != index && word.begins(other.element)
                    && (other.offset < index || !other.element.begins(word))
            }
        }.map(\.element)
    }

    private func begins(_ other: SearchWord) -> Bool {
        guard address == nil, other.address == nil, runs.count == 1 else { return false }
        return other.runs.contains { $0.hasPrefix(runs[0]) }
    }

    private static func beginning(_ word: String, _ kinds: [WordKind?]) -> String {
        // Not its beginnings: has is Haas in another spelling, Hassan is not.
        let squeezed = squeezed(word[...], isBeginning: true)
        let words = kinds.map { $0?.rawValue ?? "" }.flatMap { kind in
            ["\"\(kind)\(word)\"*"] + (squeezed.map { ["\"\(kind)\($0)\""] } ?? [])
        }
        return words.count == 1 ? words[0] : "(" + words.joined(separator: " OR ") + ")"
    }
}

extension String {
    /// The address of a `mailto:` link (RFC 6068); other text as it is.
    fileprivate var addressOfLink: Substring {
        guard let scheme = firstRange(of: "mailto:") else { return self[...] }
        let address = self[scheme.upperBound...].prefix { $0 != "?" }
        return address.contains { $0.isLetter || $0.isNumber } ? address : self[...]
    }
}
