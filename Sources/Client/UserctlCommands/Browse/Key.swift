enum Key: Hashable, Sendable {
    /// Typed or pasted, without control characters.
    case text(String)
    case up, down, left, right, pageUp, pageDown, home, end
    case enter, escape, backspace, deleteWord, help
    case tab, backTab
    /// Ctrl and a letter, in lower case.
    case control(Character)
}

/// Decodes keys from a terminal's bytes, however they are split. Unknown sequences are ignored.
struct KeyDecoder {
    private var pending: [UInt8] = []
    private var pasted: [UInt8]?

    /// In bytes; keyboards send shorter ones.
    private static let longestSequence = 32
    /// In bytes; the rest of a paste is dropped.
    private static let longestPaste = 4096
    /// A sequence comes at once; a paste may come over a slow network, and lose its end there.
    private static let (escapeTimeout, pasteTimeout) = (Duration.milliseconds(50), Duration.seconds(1))

    /// How long to wait for the rest of a paste, or after an escape, which may be the key or the start of a sequence. Nil
    /// if nothing is unfinished.
    var timeout: Duration? {
        if pasted != nil { return Self.pasteTimeout }
        return pending.first == escape ? Self.escapeTimeout : nil
    }

    mutating func keys(_ bytes: some Sequence<UInt8>) -> [Key] {
        pending += bytes
        var keys: [Key] = []
        while !pending.isEmpty {
            let step = pasted == nil ? next() : pastedText()
            switch step {
            case .incomplete: return keys
            case .read(let key, let length):
                pending.removeFirst(length)
                if let key { keys.append(key) }
            }
        }
        return keys
    }

    /// Call it when `timeout` has passed: a lone escape was the key, and a paste has ended.
    mutating func pause() -> [Key] {
        guard timeout != nil else { return [] }
        defer { pending = [] }
        if pasted != nil { return endPaste().map { [$0] } ?? [] }
        return pending.count == 1 ? [.escape] : []
    }

    private enum Step {
        case incomplete
        case read(Key?, length: Int)
    }

    private mutating func next() -> Step {
        switch pending[0] {
        case escape: return escapeSequence()
        case 0x0D, 0x0A: return .read(.enter, length: 1)
        case 0x7F, 0x08: return .read(.backspace, length: 1)
        case 0x09: return .read(.tab, length: 1)
        case 0x17: return .read(.deleteWord, length: 1)
        case 0x01...0x1A: return .read(.control(Character(Unicode.Scalar(pending[0] + 0x60))), length: 1)
        case ..<0x20: return .read(nil, length: 1)
        default: return character()
        }
    }

    /// UTF-8 (RFC 3629).
    private func character() -> Step {
        let length =
            switch pending[0] {
            case ..<0x80: 1
            case 0xC2...0xDF: 2
            case 0xE0...0xEF: 3
            case 0xF0...0xF4: 4
            default: 0
            }
        guard length > 0 else { return .read(nil, length: 1) }
        let bytes = pending.prefix(length)
        guard bytes.dropFirst().allSatisfy({ $0 & 0xC0 == 0x80 }) else { return .read(nil, length: 1) }
        guard bytes.count == length else { return .incomplete }
        guard let text = String(validating: bytes, as: UTF8.self) else { return .read(nil, length: 1) }
        let isControl = text.unicodeScalars.contains(where: \.isControl)
        return .read(isControl ? nil : .text(text), length: length)
    }

    /// ECMA-48: CSI, SS3, or a key with Alt.
    private mutating func escapeSequence() -> Step {
        guard pending.count > 1 else { return .incomplete }
        switch pending[1] {
        case escape: return .read(.escape, length: 1)
        case UInt8(ascii: "["): return controlSequence()
        case UInt8(ascii: "O"):
            guard pending.count > 2 else { return .incomplete }
            guard pending[2] >= 0x20 else { return .read(nil, length: 2) }
            // The keypad's Enter.
            return .read(pending[2] == UInt8(ascii: "M") ? .enter : key(final: pending[2]), length: 3)
        case 0x7F, 0x08: return .read(.deleteWord, length: 2)
        case ..<0x20: return .read(.escape, length: 1)
        default: return .read(nil, length: 2)
        }
    }

    private mutating func controlSequence() -> Step {
        let parameters = pending.dropFirst(2).prefix { (0x20...0x3F).contains($0) }
        let end = 2 + parameters.count
        guard end < Self.longestSequence else { return .read(nil, length: end) }
        guard end < pending.count else { return .incomplete }
        let final = pending[end]
        guard (0x40...0x7E).contains(final) else { return .read(nil, length: end) }
        if parameters.isEmpty, final == UInt8(ascii: "[") {
            // Function keys of the Linux console.
            guard pending.count > end + 1 else { return .incomplete }
            return .read(pending[end + 1] == UInt8(ascii: "A") ? .help : nil, length: end + 2)
        }
        // A mouse event, or a terminal's reply.
        guard !parameters.contains(where: { $0 > UInt8(ascii: ";") }) else {
            return .read(nil, length: end + 1)
        }
        guard final == UInt8(ascii: "~") else { return .read(key(final: final), length: end + 1) }
        let number = String(decoding: parameters.prefix { $0 != UInt8(ascii: ";") }, as: UTF8.self)
        if number == "200" { pasted = [] }
        return .read(Self.numberedKeys[number], length: end + 1)
    }

    private static let numberedKeys: [String: Key] = [
        "1": .home, "4": .end, "5": .pageUp, "6": .pageDown, "7": .home, "8": .end, "11": .help,
    ]

    private func key(final: UInt8) -> Key? {
        let keys: [Unicode.Scalar: Key] = [
            "A": .up, "B": .down, "C": .right, "D": .left, "H": .home, "F": .end, "P": .help, "Z": .backTab,
        ]
        return keys[Unicode.Scalar(final)]
    }

    private mutating func pastedText() -> Step {
        guard let start = pending.firstIndex(of: escape) else { return collect(pending.count) }
        let rest = pending[start...].prefix(pasteEnd.count)
        if rest.elementsEqual(pasteEnd) {
            _ = collect(start)
            return .read(endPaste(), length: start + pasteEnd.count)
        }
        if pasteEnd.starts(with: rest), start + rest.count == pending.count {
            return start == 0 ? .incomplete : collect(start)
        }
        return collect(start + 1)
    }

    private mutating func endPaste() -> Key? {
        defer { pasted = nil }
        let scalars = String(decoding: pasted ?? [], as: UTF8.self).unicodeScalars
        let text = scalars.map { $0.isControl ? " " : String($0) }.joined()
        return text.isEmpty ? nil : .text(text)
    }

    private mutating func collect(_ length: Int) -> Step {
        let room = Self.longestPaste - (pasted?.count ?? 0)
        pasted? += pending.prefix(min(length, room))
        return .read(nil, length: length)
    }
}

private let escape: UInt8 = 0x1B
private let pasteEnd = Array("\u{1B}[201~".utf8)

extension Unicode.Scalar {
    fileprivate var isControl: Bool { properties.generalCategory == .control }
}
