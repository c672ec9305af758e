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

/// Positive row numbers, a bit for each up to the greatest. A damaged index may give them in any order, and more than once.
package struct NumberSet {
    private var words: [UInt64] = []

    package init() {}

    package mutating func insert(_ number: Int) {
        let index = number >> 6
        if words.count <= index { words += repeatElement(0, count: index + 1 - words.count) }
        words[index] |= 1 << UInt64(number & 63)
    }

    package func contains(_ number: Int) -> Bool {
        let index = number >> 6
        return words.indices.contains(index) && words[index] & 1 << UInt64(number & 63) != 0
    }
}
