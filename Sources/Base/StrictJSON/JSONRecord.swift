/// Which members of very many records are read. Each has a place, at which it is found without its name.
package struct RecordShape: Sendable {
    let shape: JSONShape

    /// - Parameter declared: in the order that records mostly have.
    package init(_ declared: JSONDeclaration) { shape = declared.shape }

    /// - Parameter path: the names that lead to a declared member.
    package func place(_ path: String...) -> Int { place(path) }

    package func place(_ path: [String]) -> Int {
        path.reduce(0) { object, name in
            guard let place = shape.place(of: name, in: object) else {
                preconditionFailure("\(name) is not declared")
            }
            return place
        }
    }
}

/// A record and its declared members, valid only during the call that it is passed to.
package struct JSONRecord {
    /// The whole document, in which errors have their place.
    private let document: UnsafeBufferPointer<UInt8>
    private let range: Range<Int>
    /// By place; empty for a missing member.
    private let members: UnsafeBufferPointer<Range<Int>>

    init(
        _ document: UnsafeBufferPointer<UInt8>, _ range: Range<Int>,
        _ members: UnsafeBufferPointer<Range<Int>>
    ) {
        (self.document, self.range, self.members) = (document, range, members)
    }

    package var raw: RawJSON { part(range) }

    /// Nil for null and for a missing member.
    @inline(__always)
    package subscript(_ place: Int) -> RawJSON? {
        let range = members[place]
        guard !range.isEmpty, document[range.lowerBound] != UInt8(ascii: "n") else { return nil }
        return part(range)
    }

    @inline(__always)
    private func part(_ range: Range<Int>) -> RawJSON {
        RawJSON(bytes: UnsafeBufferPointer(rebasing: document[range]))
    }

    /// A string, whole.
    package func text(_ place: Int) throws(FormatError) -> String? {
        guard let value = self[place] else { return nil }
        guard value.kind == .string, let text = value.string else { throw mistyped("a string", value) }
        guard text.utf8.count <= FormatLimits.textBytes else {
            throw error("longer than \(FormatLimits.textBytes) bytes", value)
        }
        return text
    }

    /// The same without making a string, which most values need not be.
    package func withText<Result>(_ place: Int, _ body: (UnsafeBufferPointer<UInt8>) -> Result?)
        throws(FormatError) -> Result?
    {
        guard let value = self[place], let content = value.content, content.isWritten,
            content.count <= FormatLimits.textBytes
        else {
            var text = try text(place)
            return text?.withUTF8(body)
        }
        return body(content)
    }

    /// A string, or an integer as its digits.
    package func textOrInteger(_ place: Int) throws(FormatError) -> String? {
        guard let value = self[place], value.kind != .string else { return try text(place) }
        guard value.kind == .number, let digits = value.integer else {
            throw mistyped("a string or an integer", value)
        }
        return digits
    }

    /// Throws if the member is there and no object.
    package func object(_ place: Int) throws(FormatError) -> RawJSON? {
        guard let value = self[place] else { return nil }
        guard value.kind == .object else { throw mistyped("an object", value) }
        return value
    }

    /// - Parameter name: of the member of that object, which is missing or null.
    package func lacks(_ name: String, at place: Int, of object: RawJSON) -> FormatError {
        FormatError(
            place: JSONPlace.member(name, of: path(object)).description,
            reason: members[place].isEmpty ? "missing" : "null")
    }

    package func error(_ reason: String, _ value: RawJSON? = nil) -> FormatError {
        FormatError(place: path(value ?? raw).description, reason: reason)
    }

    package func mistyped(_ expected: String, _ value: RawJSON? = nil) -> FormatError {
        error("expected \(expected), found \((value ?? raw).kind.found)", value)
    }

    private func path(_ value: RawJSON) -> JSONPlace {
        let start = value.bytes.baseAddress.flatMap { start in document.baseAddress.map { start - $0 } }
        return JSONPlace(of: start ?? range.lowerBound, in: document)
    }
}

extension RawJSON {
    /// The digits of a number without fraction and exponent that fits into 64 bits.
    fileprivate var integer: String? {
        let text = String(decoding: bytes, as: UTF8.self)
        return Int64(text) == nil ? nil : text
    }
}
