/// Writes a JSON document to stdout, piece by piece; to a terminal, with a line for each value.
struct DocumentOutput {
    private let console: Console
    private var indenter: JSONIndenter?

    init(_ console: Console) {
        self.console = console
        indenter = console.destination.isTerminal ? JSONIndenter() : nil
    }

    mutating func write(_ piece: [UInt8]) throws {
        try console.write(json: indenter?.indented(piece) ?? piece)
    }
}

/// Indents valid JSON, by two spaces a level. Empty objects and arrays stay on their line.
struct JSONIndenter {
    private var depth = 0
    /// True right after an opening bracket.
    private var hasOpened = false
    private var isInString = false
    private var isEscaped = false

    /// - Parameter piece: may begin and end anywhere in the document.
    mutating func indented(_ piece: [UInt8]) -> [UInt8] {
        var lines: [UInt8] = []
        lines.reserveCapacity(piece.count * 3 / 2)
        for byte in piece {
            if isInString {
                lines.append(byte)
                isInString = byte != UInt8(ascii: "\"") || isEscaped
                isEscaped = byte == UInt8(ascii: "\\") && !isEscaped
            } else {
                append(byte, to: &lines)
            }
        }
        return lines
    }

    private mutating func append(_ byte: UInt8, to lines: inout [UInt8]) {
        switch byte {
        case UInt8(ascii: "\n") where depth == 0: lines.append(byte)
        case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\n"), UInt8(ascii: "\r"): break
        case UInt8(ascii: "}"), UInt8(ascii: "]"):
            depth -= 1
            if !hasOpened { lines += newline }
            hasOpened = false
            lines.append(byte)
        default:
            if hasOpened { lines += newline }
            hasOpened = byte == UInt8(ascii: "{") || byte == UInt8(ascii: "[")
            if hasOpened { depth += 1 }
            isInString = byte == UInt8(ascii: "\"")
            lines.append(byte)
            if byte == UInt8(ascii: ",") { lines += newline }
            if byte == UInt8(ascii: ":") { lines.append(UInt8(ascii: " ")) }
        }
    }

    private var newline: [UInt8] {
        [UInt8(ascii: "\n")] + [UInt8](repeating: UInt8(ascii: " "), count: 2 * depth)
    }
}
