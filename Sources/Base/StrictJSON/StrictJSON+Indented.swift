extension StrictJSON {
    /// A document with each member and element on a line of its own.
    /// - Parameter json: valid, without blanks between its tokens.
    package static func indented(_ json: [UInt8]) -> [UInt8] {
        var (text, depth, isString, isEscaped): ([UInt8], Int, Bool, Bool) = ([], 0, false, false)
        func newLine() { text += [0x0A] + Array(repeating: 0x20, count: 2 * depth) }
        for (index, byte) in json.enumerated() {
            if isString {
                text.append(byte)
                isString = isEscaped || byte != UInt8(ascii: "\"")
                isEscaped = !isEscaped && byte == UInt8(ascii: "\\")
                continue
            }
            let character = Unicode.Scalar(byte)
            switch character {
            case "}", "]":
                depth -= 1
                if !"{[".unicodeScalars.contains(Unicode.Scalar(json[index - 1])) { newLine() }
                text.append(byte)
            case "{", "[":
                depth += 1
                text.append(byte)
                let isClosed =
                    index + 1 < json.count
                    && [UInt8(ascii: "}"), UInt8(ascii: "]")].contains(json[index + 1])
                if !isClosed { newLine() }
            case ",":
                text.append(byte)
                newLine()
            case ":": text += [byte, 0x20]
            default:
                isString = character == "\""
                text.append(byte)
            }
        }
        return text + [0x0A]
    }
}
