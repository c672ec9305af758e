import NIOCore

/// Formats JSON with indentation, incrementally.
struct PrettyJSON {
    private var depth = 0
    private var isInString = false
    private var isEscaped = false
    /// Set after an opening bracket, so that an empty list or object stays on one line.
    private var isOpen = false

    mutating func format(_ json: ByteBuffer) -> ByteBuffer {
        var out = ByteBuffer()
        out.reserveCapacity(json.readableBytes * 2)
        for byte in json.readableBytesView {
            append(byte, to: &out)
        }
        return out
    }

    private mutating func append(_ byte: UInt8, to out: inout ByteBuffer) {
        if isInString {
            out.writeInteger(byte)
            isInString = isEscaped || byte != UInt8(ascii: "\"")
            isEscaped = !isEscaped && byte == UInt8(ascii: "\\")
            return
        }
        let closes = "}]".utf8.contains(byte)
        if closes { depth -= 1 }
        if closes != isOpen { breakLine(&out) }
        isOpen = false
        out.writeInteger(byte)
        switch byte {
        case UInt8(ascii: "{"), UInt8(ascii: "["):
            depth += 1
            isOpen = true
        case UInt8(ascii: ","): breakLine(&out)
        case UInt8(ascii: ":"): out.writeStaticString(" ")
        case UInt8(ascii: "\""): isInString = true
        default: break
        }
    }

    private func breakLine(_ out: inout ByteBuffer) {
        out.writeStaticString("\n")
        out.writeRepeatingByte(UInt8(ascii: " "), count: 2 * depth)
    }
}
