extension SecretScanner {
    // MARK: "name": value

    /// In text that is a JSON string itself, quotes have backslashes before them: one, or three, or seven; or are `\u0022`,
    /// and in an address `%22`.
    mutating func memberValue(after quote: Sign) -> Edit? {
        var closing = quote
        repeat {
            guard closing.end < bytes.count, closing.end - quote.end < 512 else { return nil }
            closing = sign(at: closing.end)
        } while closing.value != UInt8(ascii: "\"")
        guard closing.backslashes == quote.backslashes, closing.percents == quote.percents else { return nil }
        let index = skipBlanks(from: closing.end)
        guard index < bytes.count else { return nil }
        let announcer = sign(at: index)
        if announcer.value == UInt8(ascii: ",") {
            return listed(after: announcer, named: quote.end..<closing.start, quote)
        }
        guard announcer.value == UInt8(ascii: ":") || announcer.value == UInt8(ascii: "=") else { return nil }
        let verdict = verdict(on: name(in: quote.end..<closing.start))
        let start = skipArrow(from: announcer.end)
        guard start < bytes.count,
            verdict.isSecretMember || verdict.part == .value && hasSecretName(beside: quote.start, start)
        else { return nil }
        let value = sign(at: start)
        if value.value == UInt8(ascii: "\"") { return edit(value.end..<endOfString(after: value), verdict) }
        let end =
            value.percents > 0 || quote.percents > 0
            ? endOfParameter(from: start, percents: .max) : endOfValue(from: start, named: quote)
        let mark = Array(bytes[quote.start..<quote.end])
        return Edit(
            start..<end, mark + Array(Redaction.word.utf8) + mark, isCredential: !verdict.name.isDigest)
    }

    /// `["Authorization", "Bearer …"]`
    private mutating func listed(after comma: Sign, named name: Range<Int>, _ quote: Sign) -> Edit? {
        var before = quote.start
        while before > 0, bytes[before - 1] <= 0x20 { before -= 1 }
        guard before > 0, !":=".utf8.contains(bytes[before - 1]), name.count <= 64,
            bytes[name].allSatisfy(isNamePart)
        else { return nil }
        let start = skipBlanks(from: comma.end)
        guard start < bytes.count else { return nil }
        let value = sign(at: start)
        guard value.value == UInt8(ascii: "\"") else { return nil }
        let verdict = verdict(on: self.name(in: name))
        guard verdict.isSecretMember else { return nil }
        let end = endOfString(after: value)
        let next = end < bytes.count ? skipBlanks(from: sign(at: end).end) : end
        // The name of a member, and what is before that a value. No name is longer, and strings may be within strings.
        let isName = next < bytes.count && sign(at: next).value == UInt8(ascii: ":")
        if isName, end - start <= 512 { return nil }
        return edit(value.end..<end, verdict)
    }

    /// Where its closing quote, or what belongs to that, begins; the end of the text where it has none.
    func endOfString(after quote: Sign) -> Int {
        var index = quote.end
        while index < bytes.count {
            let sign = sign(at: index)
            if sign.value == UInt8(ascii: "\"") {
                if isAround(sign, quote) { return sign.start }
                // `\\"`: a backslash, and the quote that ends the text.
                if isRaw(sign), sign.backslashes > 0, sign.backslashes % 2 == 0, quote.backslashes > 0 {
                    return sign.end - 1
                }
                // In the string there are others, with more before them: backslashes that stand for themselves come first.
                let backslashes = sign.backslashes % (2 * (quote.backslashes + 1))
                if backslashes == quote.backslashes, sign.percents == quote.percents,
                    isRaw(sign) == isRaw(quote)
                {
                    return sign.start + sign.backslashes - backslashes
                }
            }
            index = sign.end
            if sign.value == UInt8(ascii: "\\"), sign.percents > 0, index < bytes.count {
                index = self.sign(at: index).end
            }
        }
        return index
    }

    func isRaw(_ quote: Sign) -> Bool { bytes[quote.end - 1] == UInt8(ascii: "\"") }

    /// Whether a quote ends the string that all of what the other one begins is in.
    func isAround(_ outer: Sign, _ quote: Sign) -> Bool {
        isRaw(outer)
            && (outer.backslashes < quote.backslashes
                || !isRaw(quote) && outer.backslashes <= quote.backslashes)
    }

    /// Of a number, a word, an object or a list.
    /// - Parameter name: the quote before that.
    private func endOfValue(from start: Int, named name: Sign) -> Int {
        var (depth, index) = (0, start)
        while index < bytes.count {
            var sign = sign(at: index)
            switch sign.value {
            case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                if depth == 0 { return index }
                depth -= 1
                if depth == 0 { return sign.end }
            case UInt8(ascii: "\""):
                if depth == 0 || isAround(sign, name) { return index }
                let end = endOfString(after: sign)
                guard end < bytes.count else { return end }
                let closing = self.sign(at: end)
                if isAround(closing, sign) { return end }
                sign = closing
            case 0...0x20, UInt8(ascii: ","):
                if depth == 0 { return index }
            default: break
            }
            index = sign.end
        }
        return bytes.count
    }
}
