extension SecretScanner {
    // MARK: name: value

    /// In text for people and in that of settings, where names and values have quotes or none.
    mutating func textValue(named range: Range<Int>, after colon: Sign) -> Edit? {
        guard !range.isEmpty, colon.end < bytes.count else { return nil }
        // A host with its port, and a file of which something is said, may be called so.
        let isInPath = range.lowerBound > 0 && bytes[range.lowerBound - 1] == UInt8(ascii: "/")
        let verdict = verdict(on: lastName(in: range))
        guard !isInPath,
            verdict.isSecretMember || verdict.part == .value && isAnnounced(range.lowerBound, colon.end)
        else { return nil }
        return textValue(after: colon, verdict)
    }

    /// - Parameter announcer: `:` or `=`.
    mutating func textValue(after announcer: Sign, _ verdict: Verdict) -> Edit? {
        let start = skipArrow(from: announcer.end, isBlank: \.isBlank)
        guard start < bytes.count else { return nil }
        let first = sign(at: start)
        if first.isQuote {
            return isClosing(first) ? nil : edit(first.end..<endOfQuoted(after: first), verdict)
        }
        if "{[".utf8.contains(first.value), let end = endOfBrackets(from: start) {
            return edit(start..<end, verdict)
        }
        let word = beginning(ofWordAt: start)
        if verdict.part == .header || self.verdict(on: word).part == .scheme {
            return edit(start..<endOfLine(from: start), verdict)
        }
        // `auth:token=4c1f…`
        let name = Array(word.prefix(while: isNamePart))
        let isParameter =
            word.dropFirst(name.count).first == UInt8(ascii: "=")
            && self.verdict(on: name).isSecretParameter
        guard !isParameter, word.count > 3, !Self.harmless.contains(word.map(\.asciiLowercased)) else {
            return nil
        }
        return edit(start..<end(from: start, where: endsWord), verdict)
    }

    /// Words of more than three letters that messages have instead of a secret.
    private static let harmless = Set(
        [
            "cannot", "empty", "expected", "expired", "failed", "field", "incorrect", "invalid", "missing",
            "mismatch", "must", "none", "null", "refused", "required", "should", "unknown", "wrong",
        ].map { Array($0.utf8) })

    /// `password Hunter22`, `Bearer 4c1f…`: after a mere blank, what is no word.
    mutating func nextWord(after blank: Sign, named range: Range<Int>) -> Edit? {
        guard let word = randomWord(at: blank.end, atLeast: 8), !range.isEmpty else { return nil }
        let verdict = verdict(on: lastName(in: range))
        return verdict.isSecretMember || verdict.part == .scheme ? edit(word, verdict) : nil
    }

    /// Whether a name and its value may have this between them.
    func isVerb(_ range: Range<Int>) -> Bool {
        range.count <= 3 && ["is", "was", "of", "to", "as"].contains { bytes[range].elementsEqual($0.utf8) }
    }

    /// What has letters and digits in it, with a quote before it or none.
    func randomWord(
        at start: Int, atLeast count: Int, isPart: (UInt8) -> Bool = { _ in true }
    ) -> Range<Int>? {
        guard start < bytes.count else { return nil }
        let first = sign(at: start)
        let start = first.isQuote || "([".utf8.contains(first.value) ? first.end : start
        var end = start
        while end < bytes.count, end - start < 4096, Self.isWordPart[Int(bytes[end])], isPart(bytes[end]) {
            end += 1
        }
        return isRandom(start..<end, atLeast: count) ? start..<end : nil
    }

    private static let isWordPart: [Bool] = (0...255).map { (byte: UInt8) in
        byte > 0x20 && byte < 0x7F && !"\"'<>(),:;?&#\\[]{}".utf8.contains(byte)
    }

    /// The name that the range ends with.
    func lastName(in range: Range<Int>) -> [UInt8] {
        var bytes = name(in: max(range.lowerBound, range.upperBound - 256)..<range.upperBound)[...]
        while let last = bytes.last, "'`]".utf8.contains(last) { bytes.removeLast() }
        return Array(bytes.reversed().prefix(while: isNamePart).reversed())
    }

    func isNamePart(_ byte: UInt8) -> Bool {
        isLetter(byte) || isDigit(byte) || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "-")
    }

    /// Blanks, and the rest of `=>` and the like.
    func skipArrow(from start: Int, isBlank: (Sign) -> Bool = { $0.isBlank || $0.endsLine }) -> Int {
        var index = start
        while index < bytes.count {
            let sign = sign(at: index)
            guard isBlank(sign) || sign.value == UInt8(ascii: ">") || sign.value == UInt8(ascii: "=") else {
                break
            }
            index = sign.end
        }
        return index
    }

    // MARK: Ends

    private func end(from start: Int, where isEnd: (Sign) -> Bool) -> Int {
        var index = start
        while index < bytes.count {
            let sign = sign(at: index)
            if isEnd(sign) { return sign.start }
            index = sign.end
        }
        return index
    }

    private func endsWord(_ sign: Sign) -> Bool {
        sign.value <= 0x20 || sign.value == UInt8(ascii: "\"") || sign.value == UInt8(ascii: "<")
    }

    /// As much as is needed to know what it is.
    private func beginning(ofWordAt start: Int) -> [UInt8] {
        var (word, index): ([UInt8], Int) = ([], start)
        while index < bytes.count, word.count < 64 {
            let sign = sign(at: index)
            if endsWord(sign) { break }
            word.append(sign.value)
            index = sign.end
        }
        return word
    }

    private func endOfLine(from start: Int) -> Int {
        end(from: start) {
            $0.endsLine || $0.value == UInt8(ascii: "\"") || $0.value == UInt8(ascii: "<")
        }
    }

    private func endOfQuoted(after quote: Sign) -> Int {
        guard quote.value == UInt8(ascii: "'") else { return endOfString(after: quote) }
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

    /// Text that opens many and closes none is not to be read again for each of them.
    private mutating func endOfBrackets(from start: Int) -> Int? {
        guard openBrackets < 64 else { return nil }
        var (depth, index) = (0, start)
        while index < min(bytes.count, start + 4096) {
            let sign = sign(at: index)
            if "{[".utf8.contains(sign.value) { depth += 1 }
            if "}]".utf8.contains(sign.value) { depth -= 1 }
            index = sign.end
            if depth == 0 { return index }
        }
        openBrackets += 1
        return nil
    }
}
