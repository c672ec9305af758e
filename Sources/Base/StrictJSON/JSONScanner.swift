/// One pass over a text. Open containers are kept on an explicit stack, so nesting uses no call stack.
struct JSONScanner {
    struct Failure: Error {
        let reason: String
        let offset: Int
    }

    private enum Expected {
        case value
        case elementOrEnd
        case nameOrEnd
        case name
        case commaOrEnd
    }

    let bytes: UnsafeBufferPointer<UInt8>
    let maximumDepth: Int
    /// See `JSONValue.init(upstream:)`.
    let isLenient: Bool
    var at = 0
    /// Number of escapes in strings so far.
    var escapes = 0
    /// The open containers, outermost first: the index in `names` of an object's first name, or nil for a
    /// list.
    private var containers: [Int?] = []
    /// Names of all open objects, the innermost object's last.
    private var names = MemberNames()

    init(bytes: UnsafeBufferPointer<UInt8>, maximumDepth: Int, isLenient: Bool) {
        (self.bytes, self.maximumDepth, self.isLenient) = (bytes, maximumDepth, isLenient)
    }

    /// The current byte; 0 at the end, which no rule outside of strings accepts. Strings check for the end.
    var current: UInt8 { at < bytes.count ? bytes[at] : 0 }

    var isAtEnd: Bool { at >= bytes.count }

    func failure(_ reason: String, at offset: Int? = nil) -> Failure {
        Failure(reason: reason, offset: offset ?? at)
    }

    mutating func scan() throws(Failure) {
        if bytes.starts(with: StrictJSON.byteOrderMark) {
            guard isLenient else { throw failure("byte order mark") }
            at = StrictJSON.byteOrderMark.count
        }
        var expected = Expected.value
        repeat {
            skipWhitespace()
            guard !isAtEnd else {
                throw failure(containers.isEmpty ? "no value" : "the text ends inside an \(innermost)")
            }
            switch expected {
            case .value:
                expected = try scanValue()
            case .elementOrEnd:
                expected = current == UInt8(ascii: "]") ? try close() : try scanValue()
            case .nameOrEnd where current == UInt8(ascii: "}"):
                expected = try close()
            case .name, .nameOrEnd:
                try scanName()
                expected = .value
            case .commaOrEnd:
                expected = try scanCommaOrEnd()
            }
        } while !containers.isEmpty
        skipWhitespace()
        guard isAtEnd else { throw failure("\(found) after the end of the value") }
    }

    private var innermost: String {
        isInList ? "array" : "object"
    }

    private var isInList: Bool { containers.last == .some(nil) }

    @inline(__always)
    private mutating func skipWhitespace() {
        while at < bytes.count {
            switch bytes[at] {
            case 0x20, 0x09, 0x0A, 0x0D: at += 1
            default: return
            }
        }
    }

    @inline(__always)
    private mutating func scanValue() throws(Failure) -> Expected {
        switch current {
        case UInt8(ascii: "{"):
            return try openContainer(firstName: names.count, expecting: .nameOrEnd)
        case UInt8(ascii: "["):
            return try openContainer(firstName: nil, expecting: .elementOrEnd)
        case UInt8(ascii: "\""):
            _ = try scanString()
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
            try scanNumber()
        case UInt8(ascii: "t"):
            try scanWord("true")
        case UInt8(ascii: "f"):
            try scanWord("false")
        case UInt8(ascii: "n"):
            try scanWord("null")
        case UInt8(ascii: "N") where isLenient:
            try scanWord("NaN")
        case UInt8(ascii: "I") where isLenient:
            try scanWord("Infinity")
        default:
            throw failure("expected a value, found \(found)")
        }
        return .commaOrEnd
    }

    private mutating func openContainer(
        firstName: Int?, expecting expected: Expected
    ) throws(Failure) -> Expected {
        guard containers.count < maximumDepth else { throw failure("nested deeper than \(maximumDepth)") }
        containers.append(firstName)
        at += 1
        return expected
    }

    private mutating func close() throws(Failure) -> Expected {
        if let firstName = containers.removeLast(),
            let range = names.closeObject(firstName: firstName, in: bytes)
        {
            let name = String(decoding: unescape(bytes[range]), as: UTF8.self)
            let shown = name.unicodeScalars.prefix(64).map { $0.escaped(asASCII: true) }.joined()
            throw failure("the name \"\(shown)\" occurs twice in one object", at: range.lowerBound - 1)
        }
        at += 1
        return .commaOrEnd
    }

    @inline(__always)
    private mutating func scanName() throws(Failure) {
        guard current == UInt8(ascii: "\"") else { throw failure("expected a quoted name, found \(found)") }
        if let firstName = containers[containers.count - 1],
            names.count - firstName >= StrictJSON.maximumMembers
        {
            throw failure("an object with more than \(StrictJSON.maximumMembers) members")
        }
        let before = escapes
        let name = try scanString()
        if !isLenient { names.append(name, hasEscapes: escapes > before) }
        skipWhitespace()
        guard current == UInt8(ascii: ":") else { throw failure("expected a colon, found \(found)") }
        at += 1
    }

    @inline(__always)
    private mutating func scanCommaOrEnd() throws(Failure) -> Expected {
        let (end, next): (UInt8, Expected) =
            isInList ? (UInt8(ascii: "]"), .value) : (UInt8(ascii: "}"), .name)
        if current == end { return try close() }
        guard current == UInt8(ascii: ",") else {
            throw failure("expected a comma or the end of the \(innermost), found \(found)")
        }
        let comma = at
        at += 1
        skipWhitespace()
        if current == end { throw failure("trailing comma before \(Character(.init(end)))", at: comma) }
        return next
    }

    mutating func scanWord(_ word: String) throws(Failure) {
        guard bytes[at...].starts(with: word.utf8) else { throw failure("expected true, false or null") }
        at += word.utf8.count
    }

    /// The current byte, for an error message. Contains no bytes that act on a terminal.
    var found: String {
        switch current {
        case _ where isAtEnd: "the end of the text"
        case 0x21...0x7E: "\(Character(.init(current)))"
        default: "a byte 0x" + String(current, radix: 16, uppercase: true)
        }
    }
}
