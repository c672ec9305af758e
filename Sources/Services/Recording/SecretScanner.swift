/// Takes secrets out of bytes of whatever kind, text that is damaged or cut off among them: nothing is parsed.
struct SecretScanner {
    let bytes: UnsafeBufferPointer<UInt8>
    let secrets: KnownSecrets
    /// Whether what is secret by name is looked for.
    let hasNames: Bool
    /// What has been said of names: they come again and again.
    private var members: [[UInt8]: Bool] = [:]
    private var parameters: [[UInt8]: Bool] = [:]

    struct Edit {
        var range: Range<Int>
        var replacement: [UInt8]

        init(_ range: Range<Int>, _ replacement: [UInt8] = Array(Redaction.word.utf8)) {
            self.range = range
            self.replacement = replacement
        }
    }

    init(bytes: UnsafeBufferPointer<UInt8>, secrets: KnownSecrets, hasNames: Bool) {
        self.bytes = bytes
        self.secrets = secrets
        self.hasNames = hasNames
    }

    /// Nil where there is nothing to take out.
    mutating func redacted() -> [UInt8]? {
        var known = secrets.ranges(in: bytes).filter { !isMemberName($0) }[...]
        var result: [UInt8] = []
        var (copied, at, name) = (0, 0, 0)
        func append(_ edit: Edit) {
            result += bytes[copied..<max(edit.range.lowerBound, copied)]
            result += edit.replacement
            copied = edit.range.upperBound
            at = max(at, copied)
        }
        let isSpecial = Self.isSpecial
        while at < bytes.count {
            while let first = known.first, first.upperBound <= at { known.removeFirst() }
            if let first = known.first, first.lowerBound <= at {
                append(edit(ofKnown: max(first.lowerBound, copied)..<first.upperBound))
                continue
            }
            guard hasNames else {
                at = known.first?.lowerBound ?? bytes.count
                continue
            }
            guard isSpecial[Int(bytes[at])] else {
                at += 1
                continue
            }
            let sign = sign(at: at)
            let edit =
                switch sign.value {
                case UInt8(ascii: "\""): memberValue(after: sign)
                case UInt8(ascii: "="): parameterValue(named: name..<sign.start, after: sign)
                case UInt8(ascii: ":"): userInformation(after: sign)
                default: nil as Edit?
                }
            if sign.endsName { name = sign.end }
            at = min(sign.end, known.first?.lowerBound ?? .max)
            guard let edit else { continue }
            // Those in the name of what is replaced.
            while let first = known.first, first.lowerBound < edit.range.lowerBound {
                known.removeFirst()
                append(self.edit(ofKnown: max(first.lowerBound, copied)..<first.upperBound))
            }
            if edit.range.upperBound > copied { append(edit) }
        }
        guard copied > 0 else { return nil }
        return result + bytes[copied...]
    }

    /// It may stand where JSON has a number, and that has a limit.
    private func edit(ofKnown range: Range<Int>) -> Edit {
        let isNumber =
            bytes[range].allSatisfy { isDigit($0) || ".-+,eE".utf8.contains($0) }
            && bytes[range].contains(where: isDigit)
        guard isNumber else { return Edit(range) }
        var isExponent = false
        return Edit(
            range,
            bytes[range].map { byte in
                if isDigit(byte) { return UInt8(ascii: isExponent ? "0" : "9") }
                isExponent = byte | 0x20 == UInt8(ascii: "e") || isExponent && byte != UInt8(ascii: ",")
                return byte
            })
    }

    private func isDigit(_ byte: UInt8) -> Bool { UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte }

    /// Whether it is all of a member's name and a plain word, as a cookie's value may be: an answer has such names anyway,
    /// and is nothing without them.
    private func isMemberName(_ range: Range<Int>) -> Bool {
        guard range.lowerBound > 0, range.upperBound < bytes.count, range.count <= 20,
            bytes[range.lowerBound - 1] == UInt8(ascii: "\""),
            bytes[range].allSatisfy({ UInt8(ascii: "a")...UInt8(ascii: "z") ~= $0 || $0 == UInt8(ascii: "_") }
            )
        else { return false }
        let quote = sign(at: range.upperBound)
        let colon = skipBlanks(from: quote.end)
        return quote.value == UInt8(ascii: "\"") && colon < bytes.count
            && sign(at: colon).value == UInt8(ascii: ":")
    }

    /// Of all bytes, those that end a name or announce a value, or that may stand for such a byte.
    private static let isSpecial: [Bool] = (0...255).map { (byte: UInt8) in
        byte <= 0x20 || byte == 0x7F || "\"=:?&;#<>%\\".utf8.contains(byte)
    }

    private func name(in range: Range<Int>) -> [UInt8] {
        var (name, index): ([UInt8], Int) = ([], range.lowerBound)
        while index < range.upperBound {
            let sign = sign(at: index)
            name.append(sign.value)
            index = sign.end
        }
        return name
    }

    private static func isSecret(
        _ name: [UInt8], _ verdict: (SecretName) -> Bool, _ verdicts: inout [[UInt8]: Bool]
    ) -> Bool {
        if let known = verdicts[name] { return known }
        let isSecret = verdict(SecretName(name))
        if verdicts.count < 1000 { verdicts[name] = isSecret }
        return isSecret
    }

    // MARK: "name": value

    /// In text that is a JSON string itself, quotes have backslashes before them: one, or three, or seven; or are `\u0022`,
    /// and in an address `%22`.
    private mutating func memberValue(after quote: Sign) -> Edit? {
        var closing = quote
        repeat {
            guard closing.end < bytes.count, closing.end - quote.end < 512 else { return nil }
            closing = sign(at: closing.end)
        } while closing.value != UInt8(ascii: "\"")
        let index = skipBlanks(from: closing.end)
        guard index < bytes.count else { return nil }
        let colon = sign(at: index)
        guard colon.value == UInt8(ascii: ":"),
            Self.isSecret(name(in: quote.end..<closing.start), \.isSecretMember, &members)
        else { return nil }
        let start = skipBlanks(from: colon.end)
        guard start < bytes.count else { return nil }
        let value = sign(at: start)
        if value.value == UInt8(ascii: "\"") { return Edit(value.end..<endOfString(after: value)) }
        let end =
            value.percents > 0 || quote.percents > 0
            ? endOfParameter(from: start, percents: .max) : endOfValue(from: start, named: quote)
        let mark = Array(bytes[quote.start..<quote.end])
        return Edit(start..<end, mark + Array(Redaction.word.utf8) + mark)
    }

    /// Where its closing quote, or what belongs to that, begins; the end of the text where it has none.
    private func endOfString(after quote: Sign) -> Int {
        var index = quote.end
        while index < bytes.count {
            let sign = sign(at: index)
            if sign.value == UInt8(ascii: "\"") {
                if isAround(sign, quote) { return sign.start }
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

    private func isRaw(_ quote: Sign) -> Bool { bytes[quote.end - 1] == UInt8(ascii: "\"") }

    /// Whether a quote ends the string that all of what the other one begins is in.
    private func isAround(_ outer: Sign, _ quote: Sign) -> Bool {
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

    private func skipBlanks(from start: Int) -> Int {
        var index = start
        while index < bytes.count, [0x20, 0x09, 0x0A, 0x0D].contains(bytes[index]) { index += 1 }
        return index
    }

    // MARK: Addresses

    /// What a name begins after also ends one: no byte is read again for the next.
    private mutating func parameterValue(named range: Range<Int>, after equals: Sign) -> Edit? {
        let name = name(in: max(range.lowerBound, range.upperBound - 512)..<range.upperBound)
        guard Self.isSecret(name, \.isSecretParameter, &parameters) else { return nil }
        let end = endOfParameter(from: equals.end, percents: equals.percents)
        return end == equals.end ? nil : Edit(equals.end..<end)
    }

    /// - Parameter percents: how often the address was made a parameter of another's.
    private func endOfParameter(from start: Int, percents: Int) -> Int {
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
    private func userInformation(after colon: Sign) -> Edit? {
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
}
