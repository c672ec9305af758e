import Glibc
import Model
import TerminalViews

/// The kind of output, which decides what is escaped.
enum Destination: Sendable {
    /// Text is sanitised, and lines end with LF.
    case terminal
    /// JSON is escaped by its own escapes; the console escapes all other text.
    case asciiTerminal
    /// Text is unchanged.
    case file

    /// The line end of formats whose lines end with CRLF in a file.
    var lineEnd: [UInt8] { isTerminal ? [0x0A] : [0x0D, 0x0A] }

    func text(_ raw: String) -> String { isTerminal ? raw.sanitised : raw }

    /// The same JSON, with control characters escaped; for a terminal, everything unsafe is escaped.
    func json(_ json: [UInt8]) -> [UInt8] {
        switch self {
        case .file: json.hasControls ? terminalSafe(json) : json
        case .terminal: terminalSafe(json)
        case .asciiTerminal: terminalSafe(json, ascii: true)
        }
    }

    var isTerminal: Bool { self != .file }
}

extension [UInt8] {
    /// True if the text has DEL or a C1 control, which valid JSON need not escape.
    fileprivate var hasControls: Bool {
        func has(_ byte: Int32) -> Bool {
            withUnsafeBytes { bytes in bytes.baseAddress.flatMap { memchr($0, byte, bytes.count) } != nil }
        }
        // Few texts have a letter that begins like a C1 control.
        return has(0x7F) || has(0xC2) && zip(self, dropFirst()).contains { $0 == 0xC2 && $1 < 0xA0 }
    }
}

extension Console {
    var destination: Destination {
        if output.width == nil { return .file }
        return output.charset == .ascii ? .asciiTerminal : .terminal
    }
}
