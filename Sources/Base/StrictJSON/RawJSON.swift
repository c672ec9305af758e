/// A value in validated text, valid only during the call that it is passed to: for what is read from very many records.
package struct RawJSON {
    package let bytes: UnsafeBufferPointer<UInt8>

    package var kind: JSONValue.Kind { JSONValue.Kind(first: bytes.first) }

    /// The content of a string as it is written, with its escapes; nil for other kinds.
    package var content: UnsafeBufferPointer<UInt8>? {
        guard bytes.count >= 2, bytes[0] == UInt8(ascii: "\"") else { return nil }
        return UnsafeBufferPointer(rebasing: bytes[1..<(bytes.count - 1)])
    }

    /// The unescaped string; nil for other kinds.
    package var string: String? {
        content.map { content in
            content.isWritten
                ? String(decoding: content, as: UTF8.self)
                : String(decoding: unescape(content), as: UTF8.self)
        }
    }

    package var double: Double? {
        kind == .number ? Double(String(decoding: bytes, as: UTF8.self)) : nil
    }

    /// A copy, which may be kept.
    package var value: JSONValue { JSONValue(validated: Array(bytes)[...]) }

    /// Calls the body with each element of a list.
    package func forEachElement(_ body: (RawJSON) -> Void) {
        guard kind == .array else { return }
        var walker = JSONWalker(bytes: bytes, at: 1)
        while walker.findNext() {
            body(RawJSON(bytes: UnsafeBufferPointer(rebasing: bytes[walker.skipValue()])))
        }
    }

    /// Calls the body with each member of an object in text order; names are as they are written.
    package func forEachMember(_ body: (_ name: UnsafeBufferPointer<UInt8>, _ value: RawJSON) -> Void) {
        guard kind == .object else { return }
        var walker = JSONWalker(bytes: bytes, at: 1)
        while walker.findNext() {
            let name = walker.nextName()
            body(name, RawJSON(bytes: UnsafeBufferPointer(rebasing: bytes[walker.skipValue()])))
        }
    }
}

extension JSONValue {
    package func withRaw<Result>(_ body: (RawJSON) throws -> Result) rethrows -> Result {
        try raw.withUnsafeBufferPointer { try body(RawJSON(bytes: $0)) }
    }
}
