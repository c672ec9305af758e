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

    private struct Container {
        let start: Int
        /// Index in `names` of an object's first name; nil for a list.
        let firstName: Int?
    }

    let bytes: UnsafeBufferPointer<UInt8>
    let maximumDepth: Int
    var at = 0
    /// In strings so far.
    var escapes = 0
    /// The innermost open container, and those around it.
    private var container = Container(start: 0, firstName: nil)
    private var outer: [Container] = []
    private var depth = 0
    /// Names of all open objects, the innermost object's last.
    private var names = MemberNames()
    private(set) var longValues = LongValues()
    /// Containers that are open around the elements of the outermost list, that list included; 0 outside of lists.
    private var listDepth = 0
    /// The elements of that list; nil if some are no objects, or too many.
    private var objects: [Range<Int>]?

    init(bytes: UnsafeBufferPointer<UInt8>, maximumDepth: Int) {
        self.bytes = bytes
        self.maximumDepth = maximumDepth
    }

    /// 0 at the end: no rule outside of strings accepts it, and strings check for the end.
    var current: UInt8 { at < bytes.count ? bytes[at] : 0 }

    var isAtEnd: Bool { at >= bytes.count }

    func failure(_ reason: String, at offset: Int? = nil) -> Failure {
        Failure(reason: reason, offset: offset ?? at)
    }

    mutating func scan() throws(Failure) {
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { throw failure("byte order mark") }
        var expected = Expected.value
        repeat {
            skipWhitespace()
            guard !isAtEnd else {
                throw failure(depth == 0 ? "no value" : "the text ends inside an \(innermost)")
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
        } while depth > 0
        skipWhitespace()
        guard isAtEnd else { throw failure("\(found) after the end of the value") }
    }

    private var innermost: String {
        isInList ? "array" : "object"
    }

    private var isInList: Bool { container.firstName == nil }

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
        default:
            throw failure("expected a value, found \(found)")
        }
        if depth == listDepth { objects = nil }
        return .commaOrEnd
    }

    private mutating func openContainer(
        firstName: Int?, expecting expected: Expected
    ) throws(Failure) -> Expected {
        guard depth < maximumDepth else { throw failure("nested deeper than \(maximumDepth)") }
        outer.append(container)
        container = Container(start: at, firstName: firstName)
        depth += 1
        if firstName == nil, listDepth == 0 { (listDepth, objects) = (depth, []) }
        at += 1
        return expected
    }

    private mutating func close() throws(Failure) -> Expected {
        let closed = container
        container = outer.removeLast()
        depth -= 1
        if let firstName = closed.firstName {
            if let range = names.closeObject(firstName: firstName, in: bytes) {
                let name = String(decoding: unescape(bytes[range]), as: UTF8.self)
                let shown = name.unicodeScalars.prefix(64).map { $0.escaped(asASCII: true) }.joined()
                throw failure(
                    "the name \"\(shown)\" occurs twice in one object", at: range.lowerBound - 1)
            }
        }
        at += 1
        note(closed.start..<at, isObject: closed.firstName != nil)
        return .commaOrEnd
    }

    private mutating func note(_ value: Range<Int>, isObject: Bool) {
        longValues.note(value)
        guard listDepth > 0 else { return }
        if depth == listDepth {
            let isOneMore = isObject && objects?.count ?? .max <= FormatLimits.records
            if isOneMore { objects?.append(value) } else { objects = nil }
        } else if depth < listDepth {
            if let objects { longValues.note(value, of: objects) }
            (listDepth, objects) = (0, nil)
        }
    }

    @inline(__always)
    private mutating func scanName() throws(Failure) {
        guard current == UInt8(ascii: "\"") else { throw failure("expected a quoted name, found \(found)") }
        if let firstName = container.firstName, names.count - firstName >= StrictJSON.maximumMembers {
            throw failure("an object with more than \(StrictJSON.maximumMembers) members")
        }
        let before = escapes
        let name = try scanString()
        names.append(name, hasEscapes: escapes > before, in: bytes)
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

    private mutating func scanWord(_ word: String) throws(Failure) {
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
