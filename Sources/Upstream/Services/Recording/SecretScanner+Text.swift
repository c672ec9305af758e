extension SecretScanner {
    // MARK: name: value

    /// In text for people and in that of settings, where names and values have quotes or none.
    mutating func textValue(afterColon colon: Sign) -> Edit? {
        // A host with its port, and a file of which something is said, may be called so; and `Token::Expired` is no value.
        guard !cursor.isInPath, colon.end < bytes.count, bytes[colon.end] != UInt8(ascii: ":") else {
            return nil
        }
        let (range, verdict) = nameBefore(colon)
        guard let verdict,
            verdict.isSecretMember
                || verdict.part == .value && hasSecretName(beside: range.lowerBound, colon.end)
        else { return nil }
        return textValue(after: colon, verdict)
    }

    /// - Parameter announcer: `:` or `=`.
    mutating func textValue(after announcer: Sign, _ verdict: Verdict) -> Edit? {
        let start = skipArrow(from: announcer.end)
        guard start < bytes.count else { return nil }
        let first = sign(at: start)
        if first.isQuote {
            return isClosing(first) ? nil : edit(first.end..<endOfQuoted(after: first), verdict)
        }
        if "{[".utf8.contains(first.value) {
            return endOfBrackets(from: start).flatMap { edit(start..<$0, verdict) }
        }
        let word = beginning(at: start, until: \.endsWord)
        let name = Array(word.prefix(while: isNamePart))
        let isParameter = word.dropFirst(name.count).first == UInt8(ascii: "=")
        // `auth:token=4c1f…`
        let isOther =
            isParameter && verdict.part != .header && self.verdict(on: name).isSecretParameter
        guard !isOther, !isHarmless(word) else { return nil }
        if self.verdict(on: name).part == .scheme || verdict.part == .header && isParameter {
            return edit(start..<endOfLine(from: start), verdict)
        }
        guard word.count > 3 else { return nil }
        let end = end(from: start, where: \.endsWord)
        let isPort = start == announcer.end && word.count <= 5 && word.allSatisfy(isDigit)
        guard verdict.name.isPassword || verdict.name.isNumber || !isPort && !isProse(word, before: end)
        else {
            return nil
        }
        return edit(start..<end, verdict)
    }

    /// `session: connection lost`, and a cat whose name is Cookie.
    private func isProse(_ word: [UInt8], before end: Int) -> Bool {
        guard word.count < 16, word.allSatisfy(isLetter), word.dropFirst().allSatisfy({ $0 & 0x20 != 0 }),
            end + 1 < bytes.count, sign(at: end).isBlank
        else { return false }
        return isLetter(bytes[end + 1])
    }

    private func isHarmless(_ word: [UInt8]) -> Bool {
        let end = word.lastIndex(where: isNamePart) ?? -1
        return Self.harmless.contains(word[...end].map(\.asciiLowercased))
    }

    /// Words of more than three letters that messages have instead of a secret.
    private static let harmless = Set(
        [
            "already", "cannot", "check", "denied", "disabled", "does", "empty", "expected", "expired",
            "failed", "field",
            "from", "header", "incorrect", "invalid", "length", "malformed", "mismatch", "missing", "must",
            "none",
            "null", "path", "permission", "please", "refused", "required", "revoked", "should", "signature",
            "that",
            "this", "timed", "undefined", "unexpected", "unknown", "unsupported", "value", "with", "wrong",
        ].map { Array($0.utf8) })

    // MARK: name value

    /// `password Hunter22`, `Bearer 4c1f…`: after a mere blank, what is no word, unless a password is quoted or an option.
    mutating func nextWord(after blank: Sign) -> Edit? {
        guard blank.end < bytes.count else { return nil }
        let quote = sign(at: blank.end)
        let isQuoted = quote.isQuote || quote.value == UInt8(ascii: "`")
        let word = word(at: isQuoted || "([".utf8.contains(quote.value) ? quote.end : blank.end)
        let isNumber = 4...8 ~= word.count && bytes[word].allSatisfy(isDigit)
        let isRandom = isRandom(bytes[word], atLeast: 8)
        let isOption = bytes[cursor.part...].starts(with: "--".utf8)
        guard isRandom || isNumber || isOption || isQuoted,
            let verdict = nameBefore(blank).verdict, verdict.isSecretMember || verdict.part == .scheme,
            !isHarmless(Array(bytes[word].prefix(64)))
        else { return nil }
        if isQuoted, !isClosing(quote), verdict.name.isPassword || verdict.part == .header {
            let end = endOfQuoted(after: quote)
            return end - quote.end > 3 ? edit(quote.end..<end, verdict) : nil
        }
        guard word.count > 3 else { return nil }
        // `ticket INC-4711` and `Basic Smith101` are none.
        let isSecret = isRandom && (word.count >= 10 || verdict.name.isCredential)
        let isPassword = isOption && verdict.name.isPassword
        let isFound = isSecret || isPassword || isNumber && verdict.name.isNumber
        return isFound ? edit(whole(word), verdict) : nil
    }

    /// Whether a name and its value may have this between them.
    func isVerb(_ range: Range<Int>) -> Bool {
        range.count <= 8
            && ["is", "was", "of", "to", "as", "provided", "supplied", "given"].contains {
                bytes[range].elementsEqual($0.utf8)
            }
    }

    /// Up to a byte, or an escape, that no token has. As much as is needed to know what it is.
    func word(at start: Int, isPart: (UInt8) -> Bool = { _ in true }) -> Range<Int> {
        var end = start
        while end < bytes.count, end - start < 256 {
            let sign = sign(at: end)
            guard Self.isWordPart[Int(sign.value)], isPart(sign.value) else { break }
            end = sign.end
        }
        return start..<max(start, end)
    }

    func whole(_ word: Range<Int>, isPart: (UInt8) -> Bool = { _ in true }) -> Range<Int> {
        let end = end(from: word.upperBound) { !Self.isWordPart[Int($0.value)] || !isPart($0.value) }
        return word.lowerBound..<max(word.upperBound, end)
    }

    // MARK: Names

    /// Nil where there is none. One of two words ends in `key` and the like: others are much more than secrets.
    mutating func nameBefore(_ sign: Sign) -> (range: Range<Int>, verdict: Verdict?) {
        let isRun = cursor.part < sign.start && !isVerb(cursor.part..<sign.start)
        let last = isRun ? cursor.part..<sign.start : cursor.word
        let before = isRun ? cursor.word : cursor.before
        guard !last.isEmpty else { return (last, nil) }
        let name = lastName(in: last)
        let verdict = verdict(on: name)
        guard verdict.name.isHalf, !before.isEmpty else { return (last, verdict) }
        var joined = self.verdict(on: lastName(in: before) + [UInt8(ascii: "_")] + name)
        joined.isSecretMember = joined.name.isCredential
        return (last, joined)
    }

    /// The name that the range ends with.
    func lastName(in range: Range<Int>) -> [UInt8] {
        var bytes = name(in: max(range.lowerBound, range.upperBound - 256)..<range.upperBound)[...]
        while let last = bytes.last, "'`],".utf8.contains(last) { bytes.removeLast() }
        return Array(bytes.reversed().prefix(while: isNamePart).reversed())
    }

    func isNamePart(_ byte: UInt8) -> Bool {
        isLetter(byte) || isDigit(byte) || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "-")
    }

    /// As much as is needed to know what it is.
    func beginning(at start: Int, until isEnd: (Sign) -> Bool) -> [UInt8] {
        var (word, index): ([UInt8], Int) = ([], start)
        while index < bytes.count, word.count < 64 {
            let sign = sign(at: index)
            if isEnd(sign) { break }
            word.append(sign.value)
            index = sign.end
        }
        return word
    }

    // MARK: Ends

    /// Blanks, and the rest of `=>` and the like.
    func skipArrow(from start: Int) -> Int {
        end(from: start) { !$0.isBlank && $0.value != UInt8(ascii: ">") && $0.value != UInt8(ascii: "=") }
    }

    /// Or of the string of JSON that it is in.
    private func endOfLine(from start: Int) -> Int {
        end(from: start) {
            guard $0.value == UInt8(ascii: "\"") else { return $0.endsLine || $0.value == UInt8(ascii: "<") }
            guard $0.end < bytes.count else { return true }
            let next = sign(at: $0.end)
            if next.value != UInt8(ascii: ",") { return next.endsLine || "}]:".utf8.contains(next.value) }
            // `a="b", c="d"`
            let after = skipBlanks(from: next.end)
            return after == bytes.count || !isLetter(bytes[after])
        }
    }

    private func endOfQuoted(after quote: Sign) -> Int {
        guard quote.value != UInt8(ascii: "\"") else { return endOfString(after: quote) }
        return end(from: quote.end) {
            $0.value == quote.value || $0.endsLine || $0.value == UInt8(ascii: "\"") && isClosing($0)
        }
    }

    /// Whether a quote ends what a text is in, rather than begin a value.
    private func isClosing(_ quote: Sign) -> Bool {
        guard quote.end < bytes.count else { return true }
        let next = sign(at: quote.end)
        return next.value <= 0x20 || ",}]:)>&".utf8.contains(next.value)
    }

    /// The end of the line where it is not in sight; nil where the text ends before.
    private mutating func endOfBrackets(from start: Int) -> Int? {
        guard openBrackets < 64 else { return endOfLine(from: start) }
        var (depth, index) = (0, start)
        while index < bytes.count, index - start < 4096 {
            let sign = sign(at: index)
            index = sign.end
            switch sign.value {
            case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                depth -= 1
                if depth == 0 { return index }
            case UInt8(ascii: "\""):
                if isClosing(sign) { return nil }
                let end = endOfString(after: sign)
                index = end < bytes.count ? self.sign(at: end).end : end
            default: break
            }
        }
        openBrackets += 1
        return endOfLine(from: start)
    }
}
