/// Finds secrets in bytes of whatever kind, in whatever spelling an upstream may give them back: as they are, in the other
/// case, with escapes, in hexadecimal, and within base64.
struct KnownSecrets: Sendable {
    /// Without escapes, in lower case.
    private let needles: [[UInt8]]
    private let endings: Endings
    /// Whether there may be a needle that ends in these four bytes, for each value of `slot`: a byte that ends none costs no more than a look at it.
    private let hasEnd: [Bool]
    private let longest: Int
    /// Of base64 that could hold one of them.
    private let shortestRun: Int

    private static let shortest = 4
    /// A longer secret is looked for in pieces of this many bytes: what a place costs is limited, too.
    private static let piece = 64
    /// How often base64 is looked for in what was base64.
    private static let layers = 2
    /// Text that is as short as messages are, where `…` stands for what was cut off.
    private static let message = 16_384
    /// Those at the end of a message are the ones that userd itself has made.
    private static let cuts = 16
    private static let window = 65_536

    init(_ secrets: [[UInt8]]) {
        let all = secrets.flatMap(Self.spellings).filter { $0.count >= Self.shortest }.flatMap(Self.pieces)
        needles = Array(Set(all))
        longest = needles.map(\.count).max() ?? 0
        shortestRun = ((needles.map(\.count).min() ?? 0) * 4 + 2) / 3
        endings = Endings(needles)
        var hasEnd = [Bool](repeating: false, count: needles.isEmpty ? 0 : 1 << 14)
        for needle in needles {
            hasEnd[Self.slot(needle.suffix(4).reduce(0) { $0 << 8 | UInt32($1) })] = true
        }
        self.hasEnd = hasEnd
    }

    private static func spellings(_ secret: [UInt8]) -> [[UInt8]] {
        // A backslash at the end may be a half of what JSON has for it, and what stays of that must not escape a quote.
        let end = secret.lastIndex { $0 != UInt8(ascii: "\\") } ?? -1
        let secret = Array(secret[...end])
        let text = UnescapedText(secret)
        return [text.bytes.map { folded($0.value) }, text.finished.map { folded($0.value) }]
            + [secret.map(folded), hex(secret)]
    }

    private static func pieces(_ needle: [UInt8]) -> [[UInt8]] {
        guard needle.count > piece else { return [needle] }
        return stride(from: 0, to: needle.count, by: piece).map { start in
            let start = min(start, needle.count - piece)
            return Array(needle[start..<(start + piece)])
        }
    }

    private static func hex(_ secret: [UInt8]) -> [UInt8] {
        let digits = Array("0123456789abcdef".utf8)
        return secret.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
    }

    /// In lower case, and a blank of a form, which is a `+`, as one.
    @inline(__always)
    private static func folded(_ byte: UInt8) -> UInt8 {
        if UInt8(ascii: "A")...UInt8(ascii: "Z") ~= byte { return byte | 0x20 }
        return byte == UInt8(ascii: "+") ? UInt8(ascii: " ") : byte
    }

    @inline(__always)
    private static func slot(_ end: UInt32) -> Int { Int((end &* 0x9E37_79B1) >> 18) }

    /// Where they are, in order, those that overlap or touch as one.
    func ranges(in bytes: UnsafeBufferPointer<UInt8>) -> [Range<Int>] {
        guard !needles.isEmpty else { return [] }
        var search = Search(layers: Self.layers, isMessage: bytes.count <= Self.message)
        var asItIs = Search(isAsItIs: true)
        for (index, byte) in bytes.enumerated() {
            append(byte, index, index + 1, to: &search)
            append(byte, index, index + 1, to: &asItIs)
        }
        finish(&search)
        finish(&asItIs)
        return (search.found + asItIs.found).sorted { $0.lowerBound < $1.lowerBound }.reduce(into: []) {
            Self.add($1, to: &$0)
        }
    }

    private struct Search {
        var text = UnescapedText()
        /// The last four bytes.
        var end: UInt32 = 0
        /// What has come of base64 without a break.
        var run: [Sextet] = []
        var layers = 0
        var isMessage = false
        /// What is no escape may look like one, such as a `%` with a secret after it.
        var isAsItIs = false
        var found: [Range<Int>] = []

        mutating func startAgain() {
            text.removeAll()
            end = 0
        }
    }

    private struct Sextet {
        var value: UInt8
        var start: Int
        var end: Int
    }

    // MARK: Text

    @inline(__always)
    private func append(_ value: UInt8, _ start: Int, _ end: Int, to search: inout Search) {
        if search.isAsItIs {
            search.text.appendAsItIs(value, start, end)
        } else {
            search.text.append(value, start, end)
        }
        if search.text.bytes.count - search.text.settled >= 4096 {
            look(&search, keeping: search.isAsItIs ? 0 : UnescapedText.unsettled)
        }
    }

    /// Looks at all that has been appended but the last bytes.
    private func look(_ search: inout Search, keeping rest: Int) {
        let upTo = search.text.bytes.count - rest
        guard upTo > search.text.settled else { return }
        for index in search.text.settled..<upTo {
            let byte = search.text.bytes[index]
            search.end = search.end << 8 | UInt32(Self.folded(byte.value))
            if hasEnd[Self.slot(search.end)] { findEnds(at: index, &search) }
            if search.layers > 0 { decode(byte, &search) }
        }
        search.text.settled = upTo
        if upTo > longest + Self.window { search.text.removeFirst(upTo - longest) }
    }

    private func finish(_ search: inout Search) {
        look(&search, keeping: 0)
        if search.isMessage { findCuts(&search) }
        decodeRun(&search)
    }

    /// The longest that ends there: the others are within it.
    private func findEnds(at last: Int, _ search: inout Search) {
        var (node, length) = (0, 0)
        for offset in 0...min(last, Self.piece) {
            let byte = Self.folded(search.text.bytes[last - offset].value)
            guard let next = endings.next[node << 8 | Int(byte)] else { break }
            node = next
            if endings.isNeedle[node] { length = offset + 1 }
        }
        guard length > 0 else { return }
        let range = search.text.bytes[last - length + 1].start..<search.text.bytes[last].end
        Self.add(range, to: &search.found)
    }

    /// The needles by their bytes from the last one on: however many end alike, a place costs no more than one of them.
    private struct Endings {
        /// Of a node and a byte.
        var next: [Int: Int] = [:]
        /// By node.
        var isNeedle = [false]

        init(_ needles: [[UInt8]]) {
            for needle in needles {
                var node = 0
                for byte in needle.reversed() {
                    let step = node << 8 | Int(byte)
                    if let known = next[step] {
                        node = known
                    } else {
                        node = isNeedle.count
                        next[step] = node
                        isNeedle.append(false)
                    }
                }
                isNeedle[node] = true
            }
        }
    }

    /// Where the same byte comes again and again, a secret of it ends at each.
    private static func add(_ range: Range<Int>, to found: inout [Range<Int>]) {
        guard let last = found.last, range.lowerBound <= last.upperBound, last.lowerBound <= range.upperBound
        else { return found.append(range) }
        found[found.count - 1] =
            min(last.lowerBound, range.lowerBound)..<max(last.upperBound, range.upperBound)
    }

    private func isThere(_ part: ArraySlice<UInt8>, at start: Int, _ text: UnescapedText) -> Bool {
        for (offset, byte) in part.enumerated() where Self.folded(text.bytes[start + offset].value) != byte {
            return false
        }
        return true
    }

    /// Messages have `…` where text was cut, at worst in the middle of an escape in the middle of a secret.
    private func findCuts(_ search: inout Search) {
        let bytes = search.text.bytes
        let cuts = bytes.indices.dropLast(2).reversed().lazy.filter { index in
            bytes[index].value == 0xE2 && bytes[index + 1].value == 0x80 && bytes[index + 2].value == 0xA6
        }
        for cut in cuts.prefix(Self.cuts) {
            let escapes = (max(0, cut - 6)..<cut).filter { [0x25, 0x26, 0x5C].contains(bytes[$0].value) }
            for needle in needles {
                for end in [cut] + escapes {
                    let most = min(end, needle.count)
                    let length = (Self.shortest..<max(most + 1, Self.shortest)).last {
                        isThere(needle[..<$0], at: end - $0, search.text)
                    }
                    if let length {
                        Self.add(bytes[end - length].start..<bytes[cut].start, to: &search.found)
                    }
                }
            }
        }
    }

    // MARK: Base64

    @inline(__always)
    private func decode(_ byte: UnescapedText.Byte, _ search: inout Search) {
        if let value = sextet(byte.value) {
            search.run.append(Sextet(value: value, start: byte.start, end: byte.end))
            // What is in two parts of a long one is whole in the second, which begins with the end of the first.
            let overlap = 4096 + 8 * longest
            if search.run.count >= Self.window + 2 * overlap {
                let rest = Array(search.run.suffix(overlap))
                decodeRun(&search)
                search.run = rest
            }
        } else if !search.run.isEmpty, byte.value != 0x0A, byte.value != 0x0D {
            decodeRun(&search)
        }
    }

    /// At each of the four places where groups of four may begin.
    private func decodeRun(_ search: inout Search) {
        guard search.run.count >= shortestRun else { return search.run.removeAll(keepingCapacity: true) }
        var run: [Sextet] = []
        swap(&run, &search.run)
        var inner = Search(layers: search.layers - 1)
        var asItIs = Search(isAsItIs: true)
        for first in 0..<4 {
            for start in stride(from: first, to: run.count, by: 4) {
                let end = min(start + 4, run.count)
                var bits: UInt32 = 0
                for index in start..<(start + 4) {
                    bits = bits << 6 | (index < end ? UInt32(run[index].value) : 0)
                }
                for number in 0..<(end - start - 1) {
                    let byte = UInt8(truncatingIfNeeded: bits >> (16 - 8 * number))
                    append(byte, run[start].start, run[end - 1].end, to: &inner)
                    append(byte, run[start].start, run[end - 1].end, to: &asItIs)
                }
            }
            finish(&inner)
            finish(&asItIs)
            inner.startAgain()
            asItIs.startAgain()
        }
        for range in inner.found + asItIs.found { Self.add(range, to: &search.found) }
        run.removeAll(keepingCapacity: true)
        swap(&run, &search.run)
    }

    /// Of base64 and base64url (RFC 4648, sections 4 and 5).
    @inline(__always)
    private func sextet(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): byte - UInt8(ascii: "A")
        case UInt8(ascii: "a")...UInt8(ascii: "z"): byte - UInt8(ascii: "a") + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0") + 52
        case UInt8(ascii: "+"), UInt8(ascii: "-"): 62
        case UInt8(ascii: "/"), UInt8(ascii: "_"): 63
        default: nil
        }
    }
}
