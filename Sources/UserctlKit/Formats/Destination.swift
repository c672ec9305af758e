import TerminalViews

/// Where data is written to.
package enum Destination: Sendable {
    /// Gets nothing that it would obey: all else of a text is escaped as in tables, and lines end with LF alone.
    case terminal
    /// Gets everything as it is.
    case file

    /// Of formats whose lines end with CRLF.
    var lineEnd: [UInt8] { self == .terminal ? [0x0A] : [0x0D, 0x0A] }

    func text(_ raw: String) -> String { self == .terminal ? raw.sanitised : raw }
}

extension Console {
    var destination: Destination { output.width == nil ? .file : .terminal }
}
