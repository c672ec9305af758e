import SQLite

/// Finds in a text what `MATCH` finds in an index of it: all words, each as the beginning of one of the text's.
package struct WordTest {
    /// As in the schema.
    static let tokenize = "unicode61 remove_diacritics 2"

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
