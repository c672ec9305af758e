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

    var isTerminal: Bool { self != .file }
}

extension Console {
    var destination: Destination {
        if output.width == nil { return .file }
        return output.charset == .ascii ? .asciiTerminal : .terminal
    }
}
