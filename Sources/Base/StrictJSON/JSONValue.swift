import Glibc

/// A view of one value in a text that has been validated. Nothing is decoded before it is asked for: reading a member
/// walks the text of its object, so keep what is used more than once.
package struct JSONValue: Sendable {
    package enum Kind: Sendable {
        case object, array, string, number, bool, null
    }

    /// The text of the value, without white space around it.
    package let raw: ArraySlice<UInt8>

    /// Validates `bytes` as `StrictJSON.validate` does.
    package init(validating bytes: ArraySlice<UInt8>, maximumDepth: Int) throws(JSONSyntaxError) {
        try StrictJSON.validate(bytes, maximumDepth: maximumDepth)
        raw = bytes.trimmed
    }

    package init(validating bytes: [UInt8], maximumDepth: Int) throws(JSONSyntaxError) {
        try self.init(validating: bytes[...], maximumDepth: maximumDepth)
    }

    /// - Parameter bytes: what has been validated before, or what `StrictJSON.encode` has written. Of anything else there is
    ///   no telling what will be found in it.
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

    /// An object's members in the order of the text; nil for other kinds.
    package var members: [(name: String, value: JSONValue)]? { members(upTo: .max) }

    /// The first of an object's members: who need not take more than so many can tell by one more than that.
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

    /// Calls the body with each of an object's members, in the order of the text: with the name without its escapes.
    package func forEachMember(_ body: (_ name: ArraySlice<UInt8>, _ value: JSONValue) -> Void) {
        guard kind == .object else { return }
        var walker = JSONWalker(rest: raw.dropFirst())
        while !walker.isAtEnd() {
            let name = walker.nextValue().unescapedContent
            body(name, walker.nextValue())
        }
    }

    /// nil where this is no object or has no such member.
    package subscript(_ name: String) -> JSONValue? {
        members?.first { $0.name == name }?.value
    }

    /// An array's elements; nil for other kinds.
    package var elements: [JSONValue]? { elements(upTo: .max) }

    /// The first of an array's elements.
    package func elements(upTo limit: Int) -> [JSONValue]? {
        guard kind == .array else { return nil }
        var walker = JSONWalker(rest: raw.dropFirst())
        var elements: [JSONValue] = []
        while elements.count < limit, !walker.isAtEnd() {
            elements.append(walker.nextValue())
        }
        return elements
    }

    /// A string without its escapes; nil for other kinds.
    package var string: String? { unescaped.map { String(decoding: $0, as: UTF8.self) } }

    /// The same in UTF-8, for those who need no `String` of what may be long.
    package var unescaped: ArraySlice<UInt8>? { kind == .string ? unescapedContent : nil }

    /// Of a string.
    private var unescapedContent: ArraySlice<UInt8> {
        let content = raw.dropFirst().dropLast()
        return content.contains(UInt8(ascii: "\\")) ? unescape(content)[...] : content
    }

    package var bool: Bool? {
        kind == .bool ? raw.first == UInt8(ascii: "t") : nil
    }

    /// A number written without fraction and exponent that 64 bits hold; nil otherwise.
    package var int: Int64? {
        kind == .number ? Int64(String(decoding: raw, as: UTF8.self)) : nil
    }

    package var double: Double? {
        kind == .number ? Double(String(decoding: raw, as: UTF8.self)) : nil
    }
}

extension ArraySlice<UInt8> {
    /// Without white space around it.
    fileprivate var trimmed: ArraySlice {
        guard let first = firstIndex(where: { $0 > 0x20 }), let last = lastIndex(where: { $0 > 0x20 }) else {
            return []
        }
        return self[first...last]
    }
}

/// Finds where values begin and end in text that is known to be valid.
private struct JSONWalker {
    var rest: ArraySlice<UInt8>

    /// Skips white space, commas and colons.
    private mutating func skipSeparators() {
        rest = rest.drop { $0 <= 0x20 || $0 == UInt8(ascii: ",") || $0 == UInt8(ascii: ":") }
    }

    /// Of an object or an array; of what was trusted and should not have been, at the latest where nothing follows.
    mutating func isAtEnd() -> Bool {
        skipSeparators()
        switch rest.first {
        case UInt8(ascii: "}"), UInt8(ascii: "]"), nil: return true
        default: return false
        }
    }

    mutating func nextValue() -> JSONValue {
        skipSeparators()
        let end = endOfValue()
        defer { rest = rest[end...] }
        return JSONValue(validated: rest[..<end])
    }

    private func endOfValue() -> Int {
        rest.withUnsafeBufferPointer { rest.startIndex + Self.endOfValue($0) }
    }

    private static func endOfValue(_ bytes: UnsafeBufferPointer<UInt8>) -> Int {
        var depth = 0
        var index = 0
        while index < bytes.count {
            switch bytes[index] {
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                // A number or word that an array or object ends right after.
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

    /// Most of a text is in its strings.
    private static func endOfString(_ bytes: UnsafeBufferPointer<UInt8>, from quote: Int) -> Int {
        guard let base = bytes.baseAddress else { return bytes.count }
        var index = quote + 1
        while index < bytes.count, let found = memchr(base + index, 0x22, bytes.count - index) {
            let mark = UnsafeRawPointer(found) - UnsafeRawPointer(base)
            // One that is escaped has an odd number of backslashes before it.
            var backslashes = 0
            while bytes[mark - 1 - backslashes] == UInt8(ascii: "\\") { backslashes += 1 }
            index = mark + 1
            if backslashes.isMultiple(of: 2) { return index }
        }
        return bytes.count
    }
}
