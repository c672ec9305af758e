/// Finds secrets in bytes of whatever kind, text that is damaged or cut off among them: nothing is parsed.
struct SecretScanner {
    let bytes: UnsafeBufferPointer<UInt8>
    let secrets: [[UInt8]]

    private struct Edit {
        var range: Range<Int>
        var replacement: String
    }

    /// Nil where there is nothing to take out.
    func redacted() -> [UInt8]? {
        var result: [UInt8] = []
        var copied = 0
        var at = 0
        while at < bytes.count {
            guard let edit = edit(at: at) else {
                at += 1
                continue
            }
            result += bytes[copied..<edit.range.lowerBound]
            result += Array(edit.replacement.utf8)
            copied = edit.range.upperBound
            at = max(copied, at + 1)
        }
        guard copied > 0 else { return nil }
        return result + bytes[copied...]
    }

    /// What is to be replaced by something else that is announced by the byte here, or begins with it.
    private func edit(at index: Int) -> Edit? {
        if let end = endOfSecret(at: index) {
            let isNumber = bytes[index..<end].allSatisfy(isDigit)
            // It may stand where JSON has a number.
            let replacement = isNumber ? String(repeating: "9", count: end - index) : Redaction.word
            return Edit(range: index..<end, replacement: replacement)
        }
        switch bytes[index] {
        case UInt8(ascii: "\""): return memberValue(after: index)
        case UInt8(ascii: "?"), UInt8(ascii: "&"), UInt8(ascii: ";"), UInt8(ascii: "#"), UInt8(ascii: "="):
            return parameterValue(from: index + 1)
        case UInt8(ascii: "\\") where matches(#"\u0026"#, at: index):
            return parameterValue(from: index + 6)
        case UInt8(ascii: ":"): return userInformation(after: index)
        default: return nil
        }
    }

    // MARK: The value of a secret, as it is or with escapes of JSON or of addresses in it

    private func endOfSecret(at index: Int) -> Int? {
        let first = bytes[index]
        let isEscape = first == UInt8(ascii: "\\") || first == UInt8(ascii: "%")
        for secret in secrets where first == secret[0] || isEscape {
            if let end = end(of: secret, at: index) { return end }
        }
        return nil
    }

    private func end(of secret: [UInt8], at start: Int) -> Int? {
        var index = start
        for byte in secret {
            guard index < bytes.count else { return nil }
            if bytes[index] == byte {
                index += 1
            } else if let (unescaped, length) = escape(at: index), unescaped == byte {
                index += length
            } else {
                return endOfCut(at: index, after: start)
            }
        }
        return index
    }

    /// Messages have `…` where text was cut, at worst in the middle of an escape in the middle of a secret.
    private func endOfCut(at index: Int, after start: Int) -> Int? {
        guard index - start >= 4 else { return nil }
        var end = index
        if bytes[end] == UInt8(ascii: "%") { end += hex(end + 1, digits: 1) == nil ? 1 : 2 }
        return matches("…", at: end) ? end : nil
    }

    private func escape(at index: Int) -> (byte: UInt8, length: Int)? {
        switch bytes[index] {
        case UInt8(ascii: "%"):
            return hex(index + 1, digits: 2).map { (UInt8($0), 3) }
        case UInt8(ascii: "\\") where index + 1 < bytes.count && bytes[index + 1] == UInt8(ascii: "u"):
            return hex(index + 2, digits: 4).flatMap { UInt8(exactly: $0) }.map { ($0, 6) }
        case UInt8(ascii: "\\") where index + 1 < bytes.count:
            return (bytes[index + 1], 2)
        default:
            return nil
        }
    }

    private func hex(_ start: Int, digits: Int) -> Int? {
        guard start + digits <= bytes.count else { return nil }
        var value = 0
        for byte in bytes[start..<(start + digits)] {
            guard let digit = Character(Unicode.Scalar(byte)).hexDigitValue else { return nil }
            value = value << 4 | digit
        }
        return value
    }

    // MARK: "name": value

    /// In text that is a JSON string itself, quotes have backslashes before them: one, or three, or seven.
    private func memberValue(after quote: Int) -> Edit? {
        var (name, index): ([UInt8], Int) = ([], quote + 1)
        while index < bytes.count, bytes[index] != UInt8(ascii: "\""), name.count < 128 {
            if let (byte, length) = escape(at: index), bytes[index] == UInt8(ascii: "\\"), length == 6 {
                name.append(byte)
                index += length
            } else {
                if bytes[index] != UInt8(ascii: "\\") { name.append(bytes[index]) }
                index += 1
            }
        }
        guard index < bytes.count, bytes[index] == UInt8(ascii: "\"") else { return nil }
        index = skipBlanks(from: index + 1)
        guard index < bytes.count, bytes[index] == UInt8(ascii: ":"),
            isSecret(member: String(decoding: name, as: UTF8.self))
        else { return nil }
        let start = skipBlanks(from: index + 1)
        var value = start
        while value < bytes.count, bytes[value] == UInt8(ascii: "\\") { value += 1 }
        guard value < bytes.count else { return nil }
        if bytes[value] == UInt8(ascii: "\"") {
            let end = endOfString(from: value + 1, level: value - start)
            return Edit(range: (value + 1)..<end, replacement: Redaction.word)
        }
        let quotes = String(repeating: "\\", count: precedingBackslashes(quote)) + "\""
        return Edit(range: start..<endOfValue(from: start), replacement: quotes + Redaction.word + quotes)
    }

    /// Where its closing quote, or what belongs to that, begins; the end of the text where it has none.
    private func endOfString(from start: Int, level: Int) -> Int {
        var index = start
        while index < bytes.count {
            if bytes[index] == UInt8(ascii: "\"") {
                let backslashes = min(precedingBackslashes(index), index - start)
                if backslashes % (2 * (level + 1)) == level { return index - level }
            }
            index += 1
        }
        return index
    }

    private func precedingBackslashes(_ index: Int) -> Int {
        var count = 0
        while count < index, bytes[index - 1 - count] == UInt8(ascii: "\\") { count += 1 }
        return count
    }

    /// Of a number, a word, an object or a list.
    private func endOfValue(from start: Int) -> Int {
        var (depth, index) = (0, start)
        while index < bytes.count {
            switch bytes[index] {
            case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                if depth == 0 { return index }
                depth -= 1
                if depth == 0 { return index + 1 }
            case UInt8(ascii: "\""):
                index = endOfString(from: index + 1, level: precedingBackslashes(index))
                // At its quote, or what stands before that.
                while index < bytes.count, bytes[index] == UInt8(ascii: "\\") { index += 1 }
            case 0...0x20, UInt8(ascii: ","):
                if depth == 0 { return index }
            default: break
            }
            index += 1
        }
        return bytes.count
    }

    private func skipBlanks(from start: Int) -> Int {
        var index = start
        while index < bytes.count, [0x20, 0x09, 0x0A, 0x0D].contains(bytes[index]) { index += 1 }
        return index
    }

    // MARK: Addresses

    /// After the `?` or `&` before a parameter. Whatever such a name begins after also ends one: no byte is read twice.
    private func parameterValue(from start: Int) -> Edit? {
        var (name, index): ([UInt8], Int) = ([], start)
        while index < bytes.count, bytes[index] != UInt8(ascii: "=") {
            if bytes[index] == UInt8(ascii: "%"), let (byte, length) = escape(at: index) {
                name.append(byte)
                index += length
            } else {
                guard !endsName(at: index) else { return nil }
                name.append(bytes[index])
                index += 1
            }
        }
        guard index < bytes.count, bytes[index] == UInt8(ascii: "="),
            isSecret(parameter: String(decoding: name, as: UTF8.self))
        else { return nil }
        let end = endOfParameter(from: index + 1)
        return end == index + 1 ? nil : Edit(range: (index + 1)..<end, replacement: Redaction.word)
    }

    private func endsName(at index: Int) -> Bool {
        switch bytes[index] {
        case 0...0x20, 0x7F, UInt8(ascii: "&"), UInt8(ascii: ";"), UInt8(ascii: "#"), UInt8(ascii: "?"),
            UInt8(ascii: "\""):
            true
        default: matches(#"\u0026"#, at: index)
        }
    }

    private func endOfParameter(from start: Int) -> Int {
        var index = start
        while index < bytes.count {
            switch bytes[index] {
            case 0...0x20, UInt8(ascii: "&"), UInt8(ascii: "#"), UInt8(ascii: "\""), UInt8(ascii: "<"),
                UInt8(ascii: ">"):
                return index
            case UInt8(ascii: "\\") where matches(#"\u0026"#, at: index) || matches("\\\"", at: index):
                return index
            // In `\\"` it is the quote that ends the text.
            case UInt8(ascii: "\\"): index = min(index + 2, bytes.count)
            default:
                index += 1
            }
        }
        return index
    }

    /// `://user:password@`, slashes escaped or not.
    private func userInformation(after colon: Int) -> Edit? {
        let slashes = [#"://"#, #":\/\/"#].first { matches($0, at: colon) }
        guard let slashes else { return nil }
        let start = colon + slashes.utf8.count
        var (end, index): (Int?, Int) = (nil, start)
        loop: while index < bytes.count {
            switch bytes[index] {
            case UInt8(ascii: "@"): end = index
            case 0...0x20, UInt8(ascii: "/"), UInt8(ascii: "\\"), UInt8(ascii: "?"), UInt8(ascii: "#"),
                UInt8(ascii: "\""), UInt8(ascii: "<"), UInt8(ascii: ">"):
                break loop
            default: break
            }
            index += 1
        }
        return end.map { Edit(range: start..<$0, replacement: Redaction.word) }
    }

    private func matches(_ text: String, at index: Int) -> Bool {
        index + text.utf8.count <= bytes.count && bytes[index...].starts(with: text.utf8)
    }

    private func isDigit(_ byte: UInt8) -> Bool { UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte }
}
