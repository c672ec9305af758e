/// A position where a description breaks the grammar of varlink.org, and why.
package struct InterfaceSyntaxError: Error, Hashable, Sendable, CustomStringConvertible {
    /// From 1.
    package let line: Int
    /// From 1, in bytes.
    package let column: Int
    package let reason: String

    package var description: String { "line \(line), column \(column): \(reason)" }
}

struct InterfaceLexer {
    struct Token: Equatable {
        enum Kind: Equatable {
            /// A keyword, a name or an interface's name.
            case word
            /// One of `( ) , : ? [] [string] ->`
            case symbol
            case end
        }

        let kind: Kind
        let text: String
        let line: Int
        let column: Int
        /// The comment lines directly above, without an empty line between.
        let documentation: String
    }

    private let bytes: [UInt8]
    private var at = 0
    private var line = 1
    private var lineStart = 0

    init(_ text: String) {
        bytes = Array(text.utf8)
    }

    mutating func next() throws(InterfaceSyntaxError) -> Token {
        let documentation = skipWhitespaceAndComments()
        let (line, column) = (line, at - lineStart + 1)
        func token(_ kind: Token.Kind, _ text: String) -> Token {
            Token(kind: kind, text: text, line: line, column: column, documentation: documentation)
        }
        guard at < bytes.count else { return token(.end, "the end of the text") }
        for symbol in ["->", "[]", "[string]", "(", ")", ",", ":", "?"]
        where bytes[at...].starts(with: symbol.utf8) {
            at += symbol.utf8.count
            return token(.symbol, symbol)
        }
        let word = bytes[at...].prefix(while: Self.belongsToWord)
        guard !word.isEmpty else {
            let scalar = String(decoding: bytes[at...].prefix(4), as: UTF8.self).unicodeScalars.first
            let shown = scalar?.escaped(asASCII: true) ?? ""
            throw InterfaceSyntaxError(line: line, column: column, reason: "unexpected \"\(shown)\"")
        }
        at = word.endIndex
        return token(.word, String(decoding: word, as: UTF8.self))
    }

    /// Interface names may contain hyphens. Symbols are tried first, so `->` is not affected.
    private static func belongsToWord(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "."), UInt8(ascii: "-"):
            true
        default: false
        }
    }

    private mutating func skipWhitespaceAndComments() -> String {
        var comment: [String] = []
        var lineIsEmpty = at == lineStart
        while at < bytes.count {
            switch bytes[at] {
            case UInt8(ascii: "\n"):
                if lineIsEmpty { comment = [] }
                at += 1
                line += 1
                lineStart = at
                lineIsEmpty = true
            case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r"):
                at += 1
            case UInt8(ascii: "#"):
                let text = bytes[(at + 1)...].prefix { $0 != UInt8(ascii: "\n") }
                at = text.endIndex
                // A comment at the end of a line does not document the next declaration.
                if lineIsEmpty { comment.append(trimmed(text)) }
                lineIsEmpty = false
            default:
                return comment.joined(separator: "\n")
            }
        }
        return comment.joined(separator: "\n")
    }

    private func trimmed(_ comment: ArraySlice<UInt8>) -> String {
        var comment = comment.first == UInt8(ascii: " ") ? comment.dropFirst() : comment
        while let last = comment.last, last <= UInt8(ascii: " ") { comment.removeLast() }
        return String(decoding: comment, as: UTF8.self)
    }
}
