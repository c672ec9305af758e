extension SecretScanner {
    // MARK: Addresses, and name=value

    mutating func parameterValue(after equals: Sign) -> Edit? {
        let isSpaced = cursor.name >= equals.start
        let range = isSpaced ? cursor.word : max(cursor.name, equals.start - 512)..<equals.start
        guard !range.isEmpty, equals.end < bytes.count else { return nil }
        let verdict = verdict(on: name(in: range))
        let isSecret = cursor.tag == nil ? verdict.isSecretParameter : verdict.isSecretMember
        let isValue = verdict.part == .value || verdict.part == .content && cursor.tag != nil
        guard isSecret || isValue && hasSecretName(beside: range.lowerBound, equals.end) else { return nil }
        let next = sign(at: equals.end)
        if isSpaced || next.isBlank || next.isQuote || next.value == UInt8(ascii: ">") {
            return textValue(after: equals, verdict)
        }
        let end = endOfParameter(from: equals.end, percents: equals.percents)
        // `Authorization=Bearer 4c1f…`
        if end < bytes.count, sign(at: end).isBlank, end - equals.end < 16,
            self.verdict(on: name(in: equals.end..<end)).part == .scheme
        {
            return edit(
                equals.end..<endOfParameter(from: skipBlanks(from: end), percents: equals.percents), verdict)
        }
        return edit(equals.end..<end, verdict)
    }

    /// - Parameter percents: how often the address was made a parameter of another's.
    func endOfParameter(from start: Int, percents: Int) -> Int {
        let end = end(from: start) { $0.percents <= percents && $0.endsParameter }
        guard end < bytes.count else { return end }
        let sign = sign(at: end)
        // In `\\"` it is the quote that ends the text.
        let isEven = isRaw(sign) && sign.backslashes % 2 == 0
        return isEven ? sign.end - 1 : end
    }

    /// `://user:password@`, escaped or not.
    func userInformation(after colon: Sign) -> Edit? {
        var sign = colon
        for _ in 0..<2 {
            guard sign.end < bytes.count else { return nil }
            sign = self.sign(at: sign.end)
            guard sign.value == UInt8(ascii: "/") else { return nil }
        }
        let start = sign.end
        var (end, index): (Int?, Int) = (nil, start)
        while index < bytes.count {
            sign = self.sign(at: index)
            if sign.value == UInt8(ascii: "@") { end = sign.start }
            if sign.value <= 0x20 || "/\\?#\"<>".utf8.contains(sign.value) { break }
            index = sign.end
        }
        return end.map { Edit(start..<$0) }
    }

    /// `/token/4C1f…`: what is no word, since addresses tell what they lead to in such places.
    mutating func segment(after slash: Sign) -> Edit? {
        let range = cursor.part..<max(slash.start, cursor.part)
        guard !range.isEmpty else { return nil }
        let isPart = { (byte: UInt8) in byte != UInt8(ascii: "/") }
        let segment = word(at: slash.end, isPart: isPart)
        guard isToken(bytes[segment]) else { return nil }
        let verdict = verdict(on: lastName(in: range))
        return verdict.isSecretMember ? edit(whole(segment, isPart: isPart), verdict) : nil
    }

    private func isToken(_ word: Slice<UnsafeBufferPointer<UInt8>>) -> Bool {
        guard isRandom(word, atLeast: 12) else { return false }
        let isMixed =
            word.contains { isLetter($0) && $0 & 0x20 == 0 }
            && word.contains { isLetter($0) && $0 & 0x20 != 0 }
        return isMixed
            || word.count >= 16 && word.allSatisfy { hexDigit($0) != nil || $0 == UInt8(ascii: "-") }
    }
}
