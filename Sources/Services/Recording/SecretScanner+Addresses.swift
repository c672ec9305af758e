extension SecretScanner {
    // MARK: Addresses, and name=value

    mutating func parameterValue(named range: Range<Int>, after equals: Sign) -> Edit? {
        guard !range.isEmpty, equals.end < bytes.count else { return nil }
        let name = name(in: max(range.lowerBound, range.upperBound - 512)..<range.upperBound)
        let verdict = verdict(on: name)
        guard
            verdict.isSecretParameter
                || verdict.part == .value && isAnnounced(range.lowerBound, equals.end)
        else { return nil }
        let next = sign(at: equals.end)
        if next.isBlank || next.isQuote || range.upperBound < equals.start {
            return textValue(after: equals, verdict)
        }
        return edit(equals.end..<endOfParameter(from: equals.end, percents: equals.percents), verdict)
    }

    /// - Parameter percents: how often the address was made a parameter of another's.
    func endOfParameter(from start: Int, percents: Int) -> Int {
        var index = start
        while index < bytes.count {
            guard Self.isSpecial[Int(bytes[index])] else {
                index += 1
                continue
            }
            let sign = sign(at: index)
            if sign.percents <= percents, sign.endsParameter {
                // In `\\"` it is the quote that ends the text.
                let isEven = bytes[sign.end - 1] == UInt8(ascii: "\"") && sign.backslashes % 2 == 0
                return isEven ? sign.end - 1 : sign.start
            }
            index = sign.end
        }
        return index
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

    /// `/token/4c1f…`: what is no word, since addresses tell what they lead to in such places.
    mutating func segment(after slash: Sign, named range: Range<Int>) -> Edit? {
        guard let segment = randomWord(at: slash.end, atLeast: 12, isPart: { $0 != UInt8(ascii: "/") }),
            !range.isEmpty
        else { return nil }
        let verdict = verdict(on: lastName(in: range))
        return verdict.isSecretMember ? edit(segment, verdict) : nil
    }
}
