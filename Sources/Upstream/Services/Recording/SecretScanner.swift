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
    /// How far it is known of an element that it does not end: text that opens many is not to be read again for each.
    var endless: [[UInt8]: Int] = [:]
    /// How many brackets did not end.
    var openBrackets = 0
    /// What was last found of what is beside a value.
    var surroundings: (range: Range<Int>, nameSecret: Bool) = (0..<0, false)
    var cursor = Cursor()

    struct Verdict {
        var name: SecretName
        var isSecretMember: Bool
        var isSecretParameter: Bool
        var part: SecretName.Part?

        init(_ name: SecretName) {
            self.name = name
            isSecretMember = name.isSecretMember
            isSecretParameter = name.isSecretParameter
            part = name.part
        }
    }

    /// What the sign that is looked at comes after. No byte is read again for the next of them.
    struct Cursor {
        /// Where the name begins that an `=` would end, and what of that is a name by itself.
        var name = 0
        var part = 0
        /// The last words before blanks.
        var word = 0..<0
        var before = 0..<0
        /// After the `<` of a tag that has not ended.
        var tag: Int?
        /// After the `>` of the last one.
        var cell: Int?
        var isInPath = false
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
        var (copied, at) = (0, 0)
        func append(_ edit: Edit) {
            result += bytes[copied..<max(edit.range.lowerBound, copied)]
            result += edit.replacement
            copied = edit.range.upperBound
            at = max(at, copied)
        }
        let isSpecial = Self.isSpecial
        if hasNames, let edit = knownForm(at: 0) { append(edit) }
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
            let edit = edit(at: sign) ?? knownForm(at: sign.end)
            pass(sign)
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

    private mutating func edit(at sign: Sign) -> Edit? {
        switch sign.value {
        case UInt8(ascii: "\""): memberValue(after: sign)
        case UInt8(ascii: "="): parameterValue(after: sign)
        case UInt8(ascii: ":"): userInformation(after: sign) ?? textValue(afterColon: sign)
        case UInt8(ascii: "/"): segment(after: sign)
        case UInt8(ascii: ">"): content(after: sign)
        case UInt8(ascii: "<"): nextCell(after: sign)
        case 0x20, 0x09: nextWord(after: sign)
        default: nil
        }
    }

    private mutating func pass(_ sign: Sign) {
        let run = cursor.part..<max(sign.start, cursor.part)
        switch sign.value {
        case UInt8(ascii: "<"), UInt8(ascii: ">"):
            cursor.tag = sign.value == UInt8(ascii: "<") ? sign.end : nil
            cursor.cell = cursor.tag == nil ? sign.end : nil
            (cursor.part, cursor.isInPath) = (sign.end, false)
        case UInt8(ascii: "/"), UInt8(ascii: ":"):
            // `/etc/…`, perhaps in quotes, and `http://…`
            let isRoot =
                sign.start <= cursor.name + 1 || run.isEmpty && bytes[cursor.part - 1] == UInt8(ascii: ":")
            if sign.value == UInt8(ascii: "/"), isRoot { cursor.isInPath = true }
            (cursor.part, cursor.word, cursor.before) = (sign.end, 0..<0, 0..<0)
        case _ where sign.isBlank:
            if !run.isEmpty, !isVerb(run) { (cursor.before, cursor.word) = (cursor.word, run) }
            (cursor.name, cursor.part, cursor.isInPath) = (sign.end, sign.end, false)
        case _ where sign.endsName:
            cursor = Cursor(name: sign.end, part: sign.end, tag: cursor.tag, cell: cursor.cell)
        default: break
        }
    }

    /// Words that are no secrets may stand anywhere, and dates and addresses as well. Others are looked for elsewhere.
    private mutating func tell(_ range: Range<Int>) {
        var start = range.lowerBound
        while start < range.upperBound {
            var end = start
            while end < range.upperBound, Self.isWordPart[Int(bytes[end])] { end += 1 }
            var word = bytes[start..<end]
            while let last = word.last, ".!".utf8.contains(last) { word.removeLast() }
            let isDate = word.prefix(10).allSatisfy { isDigit($0) || $0 == UInt8(ascii: "-") }
            let isAddress = word.contains(UInt8(ascii: "@")) || word.starts(with: "//".utf8)
            if word.count <= 1024, isRandom(word, atLeast: 12), !isDate, !isAddress {
                told.append(Array(word))
            }
            start = end + 1
        }
        told.removeFirst(max(0, told.count - 64))
    }

    /// Letters with digits among them, or in upper and lower case as no word has them.
    func isRandom(_ word: Slice<UnsafeBufferPointer<UInt8>>, atLeast count: Int) -> Bool {
        guard word.count >= count, word.contains(where: isLetter) else { return false }
        if word.contains(where: isDigit) { return true }
        let changes = zip(word, word.dropFirst()).count {
            isLetter($0) && isLetter($1) && ($0 ^ $1) & 0x20 != 0
        }
        return word.count >= 16 && changes * 3 >= word.count
    }

    static let isWordPart: [Bool] = (0...255).map { (byte: UInt8) in
        byte > 0x20 && byte < 0x7F && !"\"'`<>(),:;?&#\\[]{}".utf8.contains(byte)
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
        let verdict = Verdict(SecretName(name))
        if verdicts.count < 1000 { verdicts[name] = verdict }
        return verdict
    }

    /// Nil where nothing is there.
    func edit(_ range: Range<Int>, _ verdict: Verdict) -> Edit? {
        range.isEmpty ? nil : Edit(range, isCredential: !verdict.name.isDigest)
    }

    func end(from start: Int, limit: Int = .max, where isEnd: (Sign) -> Bool) -> Int {
        var index = start
        while index < bytes.count, index - start < limit {
            let sign = sign(at: index)
            if isEnd(sign) { return sign.start }
            index = sign.end
        }
        return index
    }

    func skipBlanks(from start: Int) -> Int { end(from: start) { !$0.isBlank && !$0.endsLine } }
}
