import TextFolding

/// A word that is searched, and the queries of FTS5 that find the beginnings of its spellings.
/// https://www.sqlite.org/fts5.html#full_text_query_syntax
struct SearchWord {
    /// Folded: o'brien has two.
    let runs: [String]
    /// An address, or its end, in the form in which the index has it.
    private var address: String?

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

    /// The query for this word alone.
    var query: String {
        if let address { return "\"\(address)\"*" }
        let each = searched.map(Self.beginning).joined(separator: " AND ")
        guard runs.count > 1 else { return each }
        return "((\(each)) OR \(Self.beginning(runs.joined())))"
    }

    /// The queries of neighbouring words, all of which must match.
    /// - Parameter exists: whether the index has this word. It finds vandenberg as van den berg, too.
    static func queries(
        _ words: [SearchWord], where exists: (String) throws -> Bool
    ) rethrows -> [String] {
        var queries: [String] = []
        var rest = distinct(words)[...]
        while let word = rest.first {
            let count = try (2...4).last { count in
                let several = rest.prefix(count)
                guard several.count == count, several.allSatisfy({ $0.address == nil }) else { return false }
                return try exists(several.flatMap(\.runs).joined())
            }
            let several = rest.prefix(count ?? 1)
            rest = rest.dropFirst(several.count)
            guard several.count > 1 else {
                queries.append(word.query)
                continue
            }
            let each = several.map(\.query).joined(separator: " AND ")
            queries.append("((\(each)) OR \(beginning(several.flatMap(\.runs).joined())))")
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

    private static func beginning(_ word: String) -> String {
        guard let squeezed = squeezed(word[...], isBeginning: true) else { return "\"\(word)\"*" }
        // Not its beginnings: has is Haas in another spelling, Hassan is not.
        return "(\"\(word)\"* OR \"\(squeezed)\")"
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
