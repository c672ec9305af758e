/// A view of one value in validated text. Decodes lazily: each member access scans the text of its object, so keep
/// values that are used more than once.
package struct JSONValue: Sendable {
    package enum Kind: Sendable {
        case object, array, string, number, bool, null

        init(first: UInt8?) {
            switch first {
            case UInt8(ascii: "{"): self = .object
            case UInt8(ascii: "["): self = .array
            case UInt8(ascii: "\""): self = .string
            case UInt8(ascii: "t"), UInt8(ascii: "f"): self = .bool
            case UInt8(ascii: "n"): self = .null
            default: self = .number
            }
        }

        /// For messages.
        var found: String {
            switch self {
            case .object: "an object"
            case .array: "a list"
            case .string: "a string"
            case .number: "a number"
            case .bool: "a boolean"
            case .null: "null"
            }
        }
    }

    /// Text of the value, without surrounding white space.
    package let raw: ArraySlice<UInt8>
    /// Of the text that it is a part of, which begins at that index of `raw`'s array.
    let longValues: LongValues
    private let start: Int
    /// How many bytes of that text are before it.
    var origin: Int { raw.startIndex - start }

    /// Validates like `StrictJSON.validate`.
    package init(validating bytes: ArraySlice<UInt8>, maximumDepth: Int) throws(JSONSyntaxError) {
        longValues = try StrictJSON.longValues(of: bytes, maximumDepth: maximumDepth)
        (raw, start) = (bytes.trimmed, bytes.startIndex)
    }

    package init(validating bytes: [UInt8], maximumDepth: Int) throws(JSONSyntaxError) {
        try self.init(validating: bytes[...], maximumDepth: maximumDepth)
    }

    /// - Parameter bytes: text that is already validated, or output of `StrictJSON.encode`. The result for other text
    ///   is unspecified.
    package init(trusting bytes: [UInt8]) {
        self.init(validated: bytes[...].trimmed)
    }

    init(validated raw: ArraySlice<UInt8>) {
        self.init(raw, LongValues(), start: raw.startIndex)
    }

    private init(_ raw: ArraySlice<UInt8>, _ longValues: LongValues, start: Int) {
        (self.raw, self.longValues, self.start) = (raw, longValues, start)
    }

    package var kind: Kind { Kind(first: raw.first) }

    package var isNull: Bool { kind == .null }

    /// Members of an object in text order; nil for other kinds.
    package var members: [(name: String, value: JSONValue)]? { members(upTo: .max) }

    /// The first `limit` members. Ask for one more than is allowed to detect too many.
    package func members(upTo limit: Int) -> [(name: String, value: JSONValue)]? {
        guard kind == .object else { return nil }
        var members: [(name: String, value: JSONValue)] = []
        walk { walker in
            while members.count < limit, walker.findNext() {
                let name = StrictJSON.text(ofContent: walker.nextName())
                members.append((name, part(walker.skipValue())))
            }
        }
        return members
    }

    /// Calls the body with each member in text order; names are unescaped.
    package func forEachMember(_ body: (_ name: UnsafeBufferPointer<UInt8>, _ value: JSONValue) -> Void) {
        guard kind == .object else { return }
        walk { walker in
            while walker.findNext() {
                let name = walker.nextName()
                let value = part(walker.skipValue())
                if name.contains(UInt8(ascii: "\\")) {
                    unescape(name).withUnsafeBufferPointer { body($0, value) }
                } else {
                    body(name, value)
                }
            }
        }
    }

    package subscript(_ name: String) -> JSONValue? {
        guard kind == .object else { return nil }
        var name = name
        return name.withUTF8 { name in
            walk { walker in
                while walker.findNext() {
                    let isWanted = walker.nextName().isName(name)
                    let value = walker.skipValue()
                    if isWanted { return part(value) }
                }
                return nil
            }
        }
    }

    /// Whether an object has a member of that name: finds it without looking for the end of its value.
    package func has(_ name: String) -> Bool {
        guard kind == .object else { return false }
        var name = name
        return name.withUTF8 { name in
            walk { walker in
                while walker.findNext() {
                    if walker.nextName().isName(name) { return true }
                    _ = walker.skipValue()
                }
                return false
            }
        }
    }

    /// Elements of an array; nil for other kinds.
    package var elements: [JSONValue]? { elements(upTo: .max) }

    /// The first `limit` elements.
    package func elements(upTo limit: Int) -> [JSONValue]? {
        guard kind == .array else { return nil }
        var elements: [JSONValue] = []
        walk { walker in
            while elements.count < limit, walker.findNext() { elements.append(part(walker.skipValue())) }
        }
        return elements
    }

    /// Begins behind the bracket of an object or list.
    private func walk<Result>(_ body: (inout JSONWalker) -> Result) -> Result {
        raw.withUnsafeBufferPointer { bytes in
            var walker = JSONWalker(
                bytes: bytes, at: 1, longValues: longValues, origin: origin)
            return body(&walker)
        }
    }

    private func part(_ range: Range<Int>) -> JSONValue {
        let raw = raw[raw.startIndex + range.lowerBound..<raw.startIndex + range.upperBound]
        return JSONValue(raw, raw.count < LongValues.least ? LongValues() : longValues, start: start)
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
