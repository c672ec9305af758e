extension StrictJSON {
    /// `text` as a JSON string with quotes. Escapes all controls below U+0020, so a NUL can end a message.
    package static func quoted(_ text: String) -> [UInt8] {
        var json: [UInt8] = []
        json.reserveCapacity(text.utf8.count + 2)
        appendQuoted(text, to: &json)
        return json
    }

    static func appendQuoted(_ text: String, to json: inout [UInt8]) {
        var text = text
        json.append(UInt8(ascii: "\""))
        text.withUTF8 { bytes in
            var start = 0
            while true {
                let mark = endOfPlainText(bytes, from: start)
                json.append(contentsOf: UnsafeBufferPointer(rebasing: bytes[start..<mark]))
                guard mark < bytes.count else { break }
                appendEscape(of: bytes[mark], to: &json)
                start = mark + 1
            }
        }
        json.append(UInt8(ascii: "\""))
    }

    static func appendEscape(of byte: UInt8, to json: inout [UInt8]) {
        json.append(UInt8(ascii: "\\"))
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"): json.append(byte)
        case 0x08: json.append(UInt8(ascii: "b"))
        case 0x09: json.append(UInt8(ascii: "t"))
        case 0x0A: json.append(UInt8(ascii: "n"))
        case 0x0C: json.append(UInt8(ascii: "f"))
        case 0x0D: json.append(UInt8(ascii: "r"))
        default:
            json += (byte < 0x10 ? "u000" : "u00").utf8
            json += String(byte, radix: 16).utf8
        }
    }
}
