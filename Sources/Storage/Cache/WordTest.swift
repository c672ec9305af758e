import SQLite

/// Finds in a text what `MATCH` finds in an index of it: all words, each as the beginning of one of the text's.
package struct WordTest {
    /// As in the schema.
    private static let tokenize = "unicode61 remove_diacritics 2"

    private let tokenizer: Tokenizer
    /// A word of people may be several of the index (o'neill).
    private let phrases: [Tokens]
    private var tokens = Tokens()

    package init(_ words: [Substring], _ connection: Connection) throws {
        let tokenizer = try Tokenizer(Self.tokenize, of: connection)
        self.tokenizer = tokenizer
        phrases = words.map { tokenizer.tokens(of: String($0)) }.filter { $0.count > 0 }
    }

    package mutating func matches(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
        guard !phrases.isEmpty else { return false }
        tokenizer.read(text, into: &tokens)
        return phrases.allSatisfy { tokens.contains(phrase: $0) }
    }
}

/// Row numbers from the first one on, a bit for each.
struct NumberSet {
    private var first = 0
    private var words: [UInt64] = []
    private(set) var count = 0

    /// Takes each number once, in ascending order.
    mutating func append(_ number: Int) {
        if count == 0 { first = number }
        // Only in a damaged index.
        guard number >= first else { return }
        let index = (number - first) >> 6
        while words.count <= index { words.append(0) }
        words[index] |= 1 << UInt64((number - first) & 63)
        count += 1
    }

    func contains(_ number: Int) -> Bool {
        guard number >= first else { return false }
        let index = (number - first) >> 6
        return index < words.count && words[index] & 1 << UInt64((number - first) & 63) != 0
    }
}
