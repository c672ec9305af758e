/// Takes secrets out of bytes of whatever kind, text that is damaged or cut off among them: nothing is parsed.
struct SecretScanner {
    let bytes: UnsafeBufferPointer<UInt8>
    let secrets: KnownSecrets
    /// Whether what is secret by name is looked for.
    let hasNames: Bool
    /// Credentials that were taken out: they may stand elsewhere, too. The newest last.
    private(set) var told: [[UInt8]] = []
    /// What has been said of names: they come again and again.
    private var verdicts: [[UInt8]: Verdict] = [:]
    /// After the `<` of a tag that has not ended.
    private(set) var tag: Int?
    /// Elements that begin and do not end, which is not to be looked for again.
    var endless: Set<[UInt8]> = []
    /// How many brackets did not.
    var openBrackets = 0
    /// What was last found of what is around a value.
    var around: (range: Range<Int>, isAnnounced: Bool) = (0..<0, false)

    struct Verdict {
        var isSecretMember: Bool
        var isSecretParameter: Bool
        /// Whether its value is worth looking for elsewhere.
        var isCredential: Bool
        var isDocument: Bool
        var part: SecretName.Part?
    }

    struct Edit {
        var range: Range<Int>
        var replacement: [UInt8]
        var isCredential: Bool

        init(
            _ range: Range<Int>, _ replacement: [UInt8] = Array(Redaction.word.utf8),
            isCredential: Bool = false
        ) {
            self.range = range
            self.replacement = replacement
            self.isCredential = isCredential
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
        // Where a name begins, and what of it is a name by itself: no byte is read again for the next.
        var (copied, at, name, part) = (0, 0, 0, 0)
        // The last one before blanks.
        var word = 0..<0
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
            var last = part < sign.start ? part..<sign.start : word
            if isVerb(last) { last = word }
            let edit =
                switch sign.value {
                case UInt8(ascii: "\""): memberValue(after: sign)
                case UInt8(ascii: "="):
                    parameterValue(named: name < sign.start ? name..<sign.start : word, after: sign)
                case UInt8(ascii: ":"): userInformation(after: sign) ?? textValue(named: last, after: sign)
                case UInt8(ascii: "/"): segment(after: sign, named: part..<sign.start)
                case UInt8(ascii: ">"): content(after: sign)
                case 0x20, 0x09: nextWord(after: sign, named: last)
                default: nil as Edit?
                }
            switch sign.value {
            case UInt8(ascii: "<"): tag = sign.end
            case UInt8(ascii: ">"): tag = nil
            case UInt8(ascii: ":"), UInt8(ascii: "/"): (part, word) = (sign.end, 0..<0)
            case _ where sign.endsName:
                word = sign.isBlank ? last : 0..<0
                (name, part) = (sign.end, sign.end)
            default: break
            }
            at = min(sign.end, known.first?.lowerBound ?? .max)
            guard let edit else { continue }
            // Those in the name of what is replaced.
            while let first = known.first, first.lowerBound < edit.range.lowerBound {
                known.removeFirst()
                append(self.edit(ofKnown: max(first.lowerBound, copied)..<first.upperBound))
            }
            if edit.range.upperBound > copied { append(edit) }
            if edit.isCredential { tell(edit.range) }
        }
        guard copied > 0 else { return nil }
        return result + bytes[copied...]
    }

    /// A password may be any word, and then it is looked for nowhere else.
    private mutating func tell(_ range: Range<Int>) {
        guard isRandom(range, atLeast: 12) else { return }
        told.append(Array(bytes[range]))
        told.removeFirst(max(0, told.count - 64))
    }

    func isRandom(_ range: Range<Int>, atLeast count: Int) -> Bool {
        range.count >= count && bytes[range].contains(where: isDigit)
            && bytes[range].contains(where: isLetter)
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

    func isDigit(_ byte: UInt8) -> Bool { UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte }

    func isLetter(_ byte: UInt8) -> Bool { UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte | 0x20 }

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
    static let isSpecial: [Bool] = (0...255).map { (byte: UInt8) in
        byte <= 0x20 || byte == 0x7F || "\"=:?&;#<>%\\/".utf8.contains(byte)
    }

    func name(in range: Range<Int>) -> [UInt8] {
        var (name, index): ([UInt8], Int) = ([], range.lowerBound)
        while index < range.upperBound {
            let sign = sign(at: index)
            name.append(sign.value)
            index = sign.end
        }
        return name
    }

    mutating func verdict(on name: [UInt8]) -> Verdict {
        if let known = verdicts[name] { return known }
        let secret = SecretName(name)
        let verdict = Verdict(
            isSecretMember: secret.isSecretMember, isSecretParameter: secret.isSecretParameter,
            isCredential: !secret.isDigest,
            isDocument: secret.isDocument, part: secret.part)
        if verdicts.count < 1000 { verdicts[name] = verdict }
        return verdict
    }

    /// Nil where nothing is there.
    func edit(_ range: Range<Int>, _ verdict: Verdict) -> Edit? {
        range.isEmpty ? nil : Edit(range, isCredential: verdict.isCredential)
    }

    func skipBlanks(from start: Int) -> Int {
        var index = start
        while index < bytes.count {
            let sign = sign(at: index)
            guard [0x20, 0x09, 0x0A, 0x0D].contains(sign.value) else { break }
            index = sign.end
        }
        return index
    }
}
