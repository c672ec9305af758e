extension SecretScanner {
    // MARK: <name>value</name>

    /// Up to the end of the element; where that is not there, a word.
    mutating func content(after end: Sign) -> Edit? {
        guard let tag = cursor.tag, end.start - tag < Self.sight, bytes[end.start - 1] != UInt8(ascii: "/")
        else {
            return nil
        }
        let name = tagName(at: tag)
        let verdict = verdict(on: name)
        guard verdict.isSecretMember || namesSecret(tag..<end.start) else { return nil }
        if let close = endOfElement(name, from: end.end) { return edit(end.end..<close, verdict) }
        // `Optional<Token>` is no element.
        let isElement = tag < 2 || !isNamePart(bytes[tag - 2])
        return isElement ? edit(end.end..<self.end(from: end.end, where: \.endsWord), verdict) : nil
    }

    /// `<td>password</td><td>4c1f…</td>`, `<b>Password:</b> 4c1f…`
    mutating func nextCell(after open: Sign) -> Edit? {
        guard open.end < bytes.count, sign(at: open.end).value == UInt8(ascii: "/"), let cell = cursor.cell,
            1...64 ~= open.start - cell
        else { return nil }
        var text = name(in: cell..<open.start)[...]
        while let last = text.last, last <= 0x20 || last == UInt8(ascii: ":") { text.removeLast() }
        let verdict = verdict(on: Array(text))
        guard verdict.name.isSecret, verdict.name.words.count <= 3 else { return nil }
        var index = open.start
        for _ in 0..<6 {
            index = skipBlanks(from: index)
            guard index < bytes.count, sign(at: index).value == UInt8(ascii: "<") else { break }
            let end = end(from: index, limit: 256) { $0.value == UInt8(ascii: ">") }
            guard end < bytes.count, sign(at: end).value == UInt8(ascii: ">") else { return nil }
            index = sign(at: end).end
        }
        let end = self.end(from: index) {
            $0.value == UInt8(ascii: "<") || $0.endsLine || $0.value == UInt8(ascii: "\"")
        }
        return edit(index..<end, verdict)
    }

    private func tagName(at start: Int) -> [UInt8] {
        beginning(at: start) {
            !isNamePart($0.value) && $0.value != UInt8(ascii: ":") && $0.value != UInt8(ascii: ".")
        }
        .map(\.asciiLowercased)
    }

    /// Nil where there is none in the text that the element is in.
    private mutating func endOfElement(_ name: [UInt8], from start: Int) -> Int? {
        if let known = endless[name] {
            if start < known { return nil }
        } else if endless.count == 16 {
            return nil
        }
        var index = start
        while index < bytes.count {
            guard Self.isSpecial[Int(bytes[index])] else {
                index += 1
                continue
            }
            let open = sign(at: index)
            index = open.end
            guard index < bytes.count else { break }
            let next = sign(at: index)
            if open.value == UInt8(ascii: "\""), ",:}]".utf8.contains(next.value) { break }
            guard open.value == UInt8(ascii: "<"), next.value == UInt8(ascii: "/") else { continue }
            if tagName(at: next.end) == name { return open.start }
        }
        endless[name] = index
        return nil
    }

    // MARK: A name, and its value beside it

    /// Whether the object or the tag around a member, or an attribute, that is called `value` or the like names a secret:
    /// `{"name": "password", "value": …}`, `<input type="password" value="…">`.
    ///
    /// What many values have beside them is looked at once.
    mutating func hasSecretName(beside start: Int, _ end: Int) -> Bool {
        let start = max(start, end - Self.sight)
        let reaches =
            surroundings.range.upperBound - end >= Self.sight / 2 || isEnd(surroundings.range.upperBound)
        if surroundings.range.contains(start), reaches { return surroundings.nameSecret }
        let (lowest, highest) = (max(0, start - Self.sight), min(bytes.count, end + Self.sight))
        var (lower, upper) = (start, end)
        while lower > lowest, !Self.isBracket(bytes[lower - 1]) { lower -= 1 }
        while upper < highest, !isEnd(upper) { upper += 1 }
        let isTag = lower > 0 && bytes[lower - 1] == UInt8(ascii: "<")
        let isNamed = isTag && verdict(on: tagName(at: lower)).isSecretMember
        surroundings = (lower..<upper, isNamed || namesSecret(lower..<upper))
        return surroundings.nameSecret
    }

    /// More than an object has of short members.
    private static let sight = 1024

    private func isEnd(_ index: Int) -> Bool { index == bytes.count || Self.isBracket(bytes[index]) }

    private static func isBracket(_ byte: UInt8) -> Bool { "{}<>".utf8.contains(byte) }

    /// Whether `name: password`, `"loc": ["body", "password"]` or the like is there.
    private mutating func namesSecret(_ range: Range<Int>) -> Bool {
        var word: [UInt8] = []
        // What the last word was, and whether what is read is the value of such a name, in how many brackets.
        var (isName, isValue, hasWord, depth) = (false, false, false, 0)
        for byte in name(in: range) + [0] {
            guard !isNamePart(byte) else {
                word.append(byte)
                continue
            }
            if !word.isEmpty {
                let verdict = verdict(on: word)
                if isValue, verdict.isSecretMember, verdict.name.isNameOfSecret { return true }
                (isName, hasWord, word) = (!isValue && verdict.part == .name, isValue, [])
            }
            switch byte {
            case UInt8(ascii: ":"), UInt8(ascii: "="):
                if !isValue { (isValue, hasWord, depth) = (isName, false, 0) }
                isName = false
            case UInt8(ascii: "["), UInt8(ascii: "("): depth += 1
            case UInt8(ascii: "]"), UInt8(ascii: ")"):
                depth -= 1
                isValue = isValue && depth > 0
            case UInt8(ascii: "."), UInt8(ascii: "/"): hasWord = false
            case 0x09, 0x20, 0x0A, 0x0D, UInt8(ascii: "\""), UInt8(ascii: "'"):
                isValue = isValue && (!hasWord || depth > 0)
            default: isValue = isValue && byte == UInt8(ascii: ",") && depth > 0
            }
        }
        return false
    }
}
