extension SecretScanner {
    // MARK: <name>value</name>

    /// Up to the end of the element; where that is not there, a word.
    mutating func content(after end: Sign) -> Edit? {
        guard let tag, end.start - tag < 4096, bytes[end.start - 1] != UInt8(ascii: "/") else { return nil }
        let name = tagName(at: tag)
        let verdict = verdict(on: name)
        guard verdict.isSecretMember else { return nil }
        if let close = endOfElement(name, from: end.end) { return edit(end.end..<close, verdict) }
        var index = end.end
        while index < bytes.count {
            let sign = sign(at: index)
            if sign.value <= 0x20 || sign.value == UInt8(ascii: "\"") || sign.value == UInt8(ascii: "<") {
                break
            }
            index = sign.end
        }
        return edit(end.end..<index, verdict)
    }

    private func tagName(at start: Int) -> [UInt8] {
        var (name, index): ([UInt8], Int) = ([], start)
        while index < bytes.count, name.count < 64 {
            let sign = sign(at: index)
            guard isNamePart(sign.value) || sign.value == UInt8(ascii: ":") || sign.value == UInt8(ascii: ".")
            else { break }
            name.append(sign.value.asciiLowercased)
            index = sign.end
        }
        return name
    }

    /// Text that opens many elements and ends none is not to be read again for each of them.
    private mutating func endOfElement(_ name: [UInt8], from start: Int) -> Int? {
        guard !endless.contains(name), endless.count < 16 else { return nil }
        var index = start
        while index < bytes.count {
            guard Self.isSpecial[Int(bytes[index])] else {
                index += 1
                continue
            }
            let open = sign(at: index)
            index = open.end
            guard open.value == UInt8(ascii: "<"), index < bytes.count else { continue }
            let slash = sign(at: index)
            if slash.value == UInt8(ascii: "/"), tagName(at: slash.end) == name { return open.start }
        }
        endless.insert(name)
        return nil
    }

    // MARK: A name, and its value beside it

    /// Whether the object or the tag around a member, or an attribute, that is called `value` or the like names a secret:
    /// `{"name": "password", "value": …}`, `<input type="password" value="…">`.
    ///
    /// What many values have around them is looked at once.
    mutating func isAnnounced(_ start: Int, _ end: Int) -> Bool {
        let isFar = around.range.upperBound - end < Self.sight / 2
        if around.range.contains(start), !isFar || isEnd(around.range.upperBound) {
            return around.isAnnounced
        }
        let (lowest, highest) = (max(0, start - Self.sight), min(bytes.count, end + Self.sight))
        var (lower, upper) = (start, end)
        while lower > lowest, !Self.isBracket(bytes[lower - 1]) { lower -= 1 }
        while upper < highest, !isEnd(upper) { upper += 1 }
        let isTag = lower > 0 && bytes[lower - 1] == UInt8(ascii: "<")
        let isNamed = isTag && verdict(on: tagName(at: lower)).isSecretMember
        around = (lower..<upper, isNamed || announces(lower..<upper))
        return around.isAnnounced
    }

    private static let sight = 1024

    private func isEnd(_ index: Int) -> Bool { index == bytes.count || Self.isBracket(bytes[index]) }

    private static func isBracket(_ byte: UInt8) -> Bool { "{}<>".utf8.contains(byte) }

    /// Whether `name: password`, or the like, is there.
    private mutating func announces(_ range: Range<Int>) -> Bool {
        var (word, isAnnouncer, isAnnounced): ([UInt8], Bool, Bool) = ([], false, false)
        for byte in name(in: range) + [0] {
            guard !isNamePart(byte) else {
                word.append(byte)
                continue
            }
            if !word.isEmpty {
                let verdict = verdict(on: word)
                if isAnnounced, verdict.isSecretMember, !verdict.isDocument { return true }
                (isAnnouncer, isAnnounced, word) = (verdict.part == .name, false, [])
            }
            switch byte {
            case UInt8(ascii: ":"), UInt8(ascii: "="): isAnnounced = isAnnouncer
            case 0x09, 0x20, 0x0A, 0x0D, UInt8(ascii: "\""), UInt8(ascii: "'"): break
            default: (isAnnouncer, isAnnounced) = (false, false)
            }
        }
        return false
    }
}
