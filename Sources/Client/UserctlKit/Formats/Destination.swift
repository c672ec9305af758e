import TerminalViews

/// Where data is written to.
package enum Destination: Sendable {
    /// Gets nothing that it would obey: all else of a text is escaped as in tables, and lines end with LF alone.
    case terminal
    /// A terminal that shows nothing but ASCII: the console escapes what else there is, but for JSON's strings, which have
    /// an escape of their own.
    case asciiTerminal
    /// Gets everything as it is.
    case file

    /// Of formats whose lines end with CRLF.
    var lineEnd: [UInt8] { isTerminal ? [0x0A] : [0x0D, 0x0A] }

    func text(_ raw: String) -> String { isTerminal ? raw.sanitised : raw }

    /// The same JSON: without control characters anywhere, and for a terminal without anything else that it might obey.
    func json(_ json: [UInt8]) -> [UInt8] {
        switch self {
        case .file: json.hasControls ? terminalSafe(json) : json
        case .terminal: terminalSafe(json)
        case .asciiTerminal: terminalSafe(json, .ascii)
        }
    }

    var isTerminal: Bool { self != .file }
}

extension [UInt8] {
    /// Whether there is DEL or one of C1: in the strings of valid JSON there may be.
    fileprivate var hasControls: Bool {
        var previous: UInt8 = 0
        for byte in self {
            if byte == 0x7F || (previous == 0xC2 && byte < 0xA0) { return true }
            previous = byte
        }
        return false
    }
}

extension Console {
    var destination: Destination {
        if output.width == nil { return .file }
        return output.charset == .ascii ? .asciiTerminal : .terminal
    }
}
