/// A position where a text is not valid JSON, and why.
package struct JSONSyntaxError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The position in bytes, counted from 0.
    package let offset: Int
    /// Counted from 1. Lines end with a line feed.
    package let line: Int
    /// Counted from 1 in Unicode scalars, as most editors do.
    package let column: Int
    /// The value that contains the position, as far as the text can be read.
    package let place: JSONPlace
    /// The reason, such as "trailing comma before }".
    package let reason: String

    package var description: String { "line \(line), column \(column): \(reason)" }

    init(reason: String, offset: Int, in bytes: UnsafeBufferPointer<UInt8>) {
        let before = bytes[..<min(offset, bytes.count)]
        let lineStart = before.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
        self.reason = reason
        self.offset = offset
        place = JSONPlace(of: offset, in: bytes)
        line = 1 + before.count { $0 == UInt8(ascii: "\n") }
        column = 1 + before[lineStart...].count { $0 & 0xC0 != 0x80 }
    }
}
