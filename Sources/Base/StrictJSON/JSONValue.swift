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
            // NaN and Infinity, as Python writes them.
            case UInt8(ascii: "n"), UInt8(ascii: "N"), UInt8(ascii: "I"): self = .null
            default: self = .number
            }
        }

        /// The kind in words, for messages.
        package var found: String {
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

    /// Validates like `StrictJSON.validate`.
    package init(validating bytes: ArraySlice<UInt8>, maximumDepth: Int) throws(JSONSyntaxError) {
        try StrictJSON.validate(bytes, maximumDepth: maximumDepth)
        raw = bytes.trimmed
    }

    package init(validating bytes: [UInt8], maximumDepth: Int) throws(JSONSyntaxError) {
        try self.init(validating: bytes[...], maximumDepth: maximumDepth)
    }

    /// Validates the answer of an upstream. Skips a byte order mark, and accepts bytes that are not UTF-8 and unpaired
    /// surrogates, which are read as U+FFFD, members with equal names, of which the last counts, and Python's NaN and
    /// Infinity, which are null.
    package init(upstream body: [UInt8]) throws(JSONSyntaxError) {
        // A first line that keeps browsers from running the answer as a script.
        let guardLine = Array(")]}'".utf8)
        let body =
            body.starts(with: guardLine)
            ? Array(body.drop { $0 != UInt8(ascii: "\n") }) : body
        try StrictJSON.scan(body, maximumDepth: FormatLimits.answerDepth, leniently: true)
        raw = body[...].trimmed
    }

    /// - Parameter bytes: text that is already validated, or output of `StrictJSON.encode`. The result for other text
    ///   is unspecified.
    package init(trusting bytes: [UInt8]) {
        self.init(validated: bytes[...].trimmed)
    }

    init(validated raw: ArraySlice<UInt8>) { self.raw = raw }

    package var kind: Kind {
        raw.first == UInt8(ascii: "-") && raw.last == UInt8(ascii: "y") ? .null : Kind(first: raw.first)
    }

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

    /// The last member with this name.
    package subscript(_ name: String) -> JSONValue? {
        guard kind == .object else { return nil }
        return walk { walker in
            var found: Range<Int>?
            while walker.findNext() {
                let isWanted = walker.nextName().isName(name)
                let value = walker.skipValue()
                if isWanted { found = value }
            }
            return found.map(part)
        }
    }

    /// Elements of an array; nil for other kinds.
    package var elements: [JSONValue]? { elements(upTo: .max) }

    package func elements(upTo limit: Int) -> [JSONValue]? {
        guard kind == .array else { return nil }
        var elements: [JSONValue] = []
        walk { walker in
            while elements.count < limit, walker.findNext() { elements.append(part(walker.skipValue())) }
        }
        return elements
    }

    package func forEachElement<E>(_ body: (JSONValue) throws(E) -> Void) throws(E) {
        guard kind == .array else { return }
        var next = 1
        while let range = walk(from: next, { $0.findNext() ? $0.skipValue() : nil }) {
            next = range.upperBound
            try body(part(range))
        }
    }

    /// - Parameter start: an index after the opening bracket or after a value.
    private func walk<Result>(from start: Int = 1, _ body: (inout JSONWalker) -> Result) -> Result {
        raw.withUnsafeBufferPointer { bytes in
            var walker = JSONWalker(bytes: bytes, at: start)
            return body(&walker)
        }
    }

    private func part(_ range: Range<Int>) -> JSONValue {
        JSONValue(validated: raw[raw.startIndex + range.lowerBound..<raw.startIndex + range.upperBound])
    }

    /// The unescaped string; nil for other kinds.
    package var string: String? {
        content?.withUnsafeBufferPointer { StrictJSON.text(ofContent: $0) }
    }

    /// Like `string`, as UTF-8; avoids creating a long `String`.
    package var unescaped: ArraySlice<UInt8>? {
        content.map { $0.contains(UInt8(ascii: "\\")) ? unescape($0)[...] : $0 }
    }

    /// The content of a string as written, with its escapes; nil for other kinds.
    package var content: ArraySlice<UInt8>? {
        kind == .string && raw.count >= 2 ? raw.dropFirst().dropLast() : nil
    }

    /// A string that is not blank, or a number or boolean as written; nil otherwise.
    package var scalar: String? {
        switch kind {
        case .string: string.flatMap { $0.isBlank ? nil : $0 }
        case .number, .bool: String(decoding: raw, as: UTF8.self)
        case .object, .array, .null: nil
        }
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
    /// The text without a byte order mark and surrounding white space.
    fileprivate var trimmed: ArraySlice {
        let text = starts(with: StrictJSON.byteOrderMark) ? dropFirst(StrictJSON.byteOrderMark.count) : self
        guard let first = text.firstIndex(where: { $0 > 0x20 }),
            let last = text.lastIndex(where: { $0 > 0x20 })
        else { return [] }
        return text[first...last]
    }
}

extension String {
    package var isBlank: Bool {
        // Most texts begin with a letter or digit.
        if let first = utf8.first, 0x21..<0x7F ~= first { return false }
        return allSatisfy(\.isWhitespace)
    }
}
