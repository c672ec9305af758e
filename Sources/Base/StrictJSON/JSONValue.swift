import Glibc

/// A view of one value in validated text. Decodes lazily: each member access scans the text of its object, so keep
/// values that are used more than once.
package struct JSONValue: Sendable {
    package enum Kind: Sendable {
        case object, array, string, number, bool, null
    }

    /// Text of the value, without surrounding white space.
    package let raw: ArraySlice<UInt8>

    /// Validates like `StrictJSON.validate`.
    package init(validating bytes: ArraySlice<UInt8>, maximumDepth: Int) throws(JSONSyntaxError) {
        try StrictJSON.validate(bytes, maximumDepth: maximumDepth)
        raw = bytes.trimmed
    }

    package init(validating bytes: [UInt8], maximumDepth: Int) throws(JSONSyntaxError) {
        try self.init(validating: bytes[...], maximumDepth: maximumDepth)
    }

    /// - Parameter bytes: text that is already validated, or output of `StrictJSON.encode`. The result for other text
    ///   is unspecified.
    package init(trusting bytes: [UInt8]) {
        raw = bytes[...].trimmed
    }

    init(validated raw: ArraySlice<UInt8>) {
        self.raw = raw
    }

    package var kind: Kind {
        switch raw.first {
        case UInt8(ascii: "{"): .object
        case UInt8(ascii: "["): .array
        case UInt8(ascii: "\""): .string
        case UInt8(ascii: "t"), UInt8(ascii: "f"): .bool
        case UInt8(ascii: "n"): .null
        default: .number
        }
    }

    package var isNull: Bool { kind == .null }

    /// Members of an object in text order; nil for other kinds.
    package var members: [(name: String, value: JSONValue)]? { members(upTo: .max) }

    /// The first `limit` members. Ask for one more than is allowed to detect too many.
    package func members(upTo limit: Int) -> [(name: String, value: JSONValue)]? {
        guard kind == .object else { return nil }
        var walker = JSONWalker(rest: raw.dropFirst())
        var members: [(name: String, value: JSONValue)] = []
        while members.count < limit, !walker.isAtEnd() {
            let name = walker.nextValue().string ?? ""
            members.append((name, walker.nextValue()))
        }
        return members
    }

    /// Calls the body with each member in text order; names are unescaped.
    package func forEachMember(_ body: (_ name: ArraySlice<UInt8>, _ value: JSONValue) -> Void) {
        guard kind == .object else { return }
        var walker = JSONWalker(rest: raw.dropFirst())
        while !walker.isAtEnd() {
            let name = walker.nextValue().unescapedContent
            body(name, walker.nextValue())
        }
    }

    package subscript(_ name: String) -> JSONValue? {
        members?.first { $0.name == name }?.value
    }

    /// Elements of an array; nil for other kinds.
    package var elements: [JSONValue]? { elements(upTo: .max) }

    /// The first `limit` elements.
    package func elements(upTo limit: Int) -> [JSONValue]? {
        guard kind == .array else { return nil }
        var walker = JSONWalker(rest: raw.dropFirst())
        var elements: [JSONValue] = []
        while elements.count < limit, !walker.isAtEnd() {
            elements.append(walker.nextValue())
        }
        return elements
    }

    /// The unescaped string; nil for other kinds.
    package var string: String? { unescaped.map { String(decoding: $0, as: UTF8.self) } }

    /// Like `string`, as UTF-8; avoids creating a long `String`.
    package var unescaped: ArraySlice<UInt8>? { kind == .string ? unescapedContent : nil }

    private var unescapedContent: ArraySlice<UInt8> {
        let content = raw.dropFirst().dropLast()
        return content.contains(UInt8(ascii: "\\")) ? unescape(content)[...] : content
    }

    package var bool: Bool? {
        kind == .bool ? raw.first == UInt8(ascii: "t") : nil
    }

    /// A number without fraction and exponent that fits into 64 bits; nil otherwise.
    package var int: Int64? {
        kind == .number ? Int64(String(decoding: raw, as: UTF8.self)) : nil
    }

    package var double: Double? {
        kind == .number ? Double(String(decoding: raw, as: UTF8.self)) : nil
    }
}

extension ArraySlice<UInt8> {
    fileprivate var trimmed: ArraySlice {
        guard let first = firstIndex(where: { $0 > 0x20 }), let last = lastIndex(where: { $0 > 0x20 }) else {
            return []
        }
        return self[first...last]
    }
}

/// Finds the boundaries of values in validated text.
private struct JSONWalker {
    var rest: ArraySlice<UInt8>

    private mutating func skipSeparators() {
        rest = rest.drop { $0 <= 0x20 || $0 == UInt8(ascii: ",") || $0 == UInt8(ascii: ":") }
    }

    /// True at the end of the object or array, or of the text.
    mutating func isAtEnd() -> Bool {
        skipSeparators()
        switch rest.first {
        case UInt8(ascii: "}"), UInt8(ascii: "]"), nil: return true
        default: return false
        }
    }

    mutating func nextValue() -> JSONValue {
        skipSeparators()
        let end = rest.withUnsafeBufferPointer { rest.startIndex + Self.endOfValue($0) }
        defer { rest = rest[end...] }
        return JSONValue(validated: rest[..<end])
    }

    private static func endOfValue(_ bytes: UnsafeBufferPointer<UInt8>) -> Int {
        var depth = 0
        var index = 0
        while index < bytes.count {
            switch bytes[index] {
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                // A number or word directly before a closing bracket.
                if depth == 0 { return index }
                depth -= 1
                if depth == 0 { return index + 1 }
            case UInt8(ascii: "\""):
                index = endOfString(bytes, from: index)
                if depth == 0 { return index }
                continue
            case 0...0x20, UInt8(ascii: ","):
                if depth == 0 { return index }
            default:
                break
            }
            index += 1
        }
        return index
    }

    /// Separate because strings are most of a text.
    private static func endOfString(_ bytes: UnsafeBufferPointer<UInt8>, from quote: Int) -> Int {
        guard let base = bytes.baseAddress else { return bytes.count }
        var index = quote + 1
        while index < bytes.count, let found = memchr(base + index, 0x22, bytes.count - index) {
            let mark = UnsafeRawPointer(found) - UnsafeRawPointer(base)
            // A quote after an odd number of backslashes is escaped.
            var backslashes = 0
            while bytes[mark - 1 - backslashes] == UInt8(ascii: "\\") { backslashes += 1 }
            index = mark + 1
            if backslashes.isMultiple(of: 2) { return index }
        }
        return bytes.count
    }
}
