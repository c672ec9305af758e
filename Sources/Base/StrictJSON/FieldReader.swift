/// Reads selected members of very many JSON records by name; `name_first` is the member `first` of the member `name`. Each
/// record is walked once, and its other members are not decoded.
package struct FieldReader: Sendable {
    private let shape: JSONShape
    /// `display_name` may be a member, or the member `name` of another.
    private let places: [(field: Int, place: Int)]
    private let count: Int

    package init(_ names: [String]) {
        let paths = names.map { Self.paths($0.split(separator: "_")[...]) }
        let declared = paths.joined().reduce(JSONDeclaration.nothing) { $0.or(Self.declaration($1[...])) }
        let shape = declared.sorted.shape
        self.shape = shape
        places = paths.enumerated().flatMap { field, paths in
            paths.map { path in (field, path.reduce(0) { shape.place(of: $1, in: $0) ?? 0 }) }
        }
        count = names.count
    }

    /// The ways to join words to names of members.
    private static func paths(_ words: ArraySlice<Substring>) -> [[String]] {
        words.indices.flatMap { end in
            let name = words[...end].joined(separator: "_")
            let rest = words[(end + 1)...]
            return rest.isEmpty ? [[name]] : paths(rest).map { [name] + $0 }
        }
    }

    private static func declaration(_ path: ArraySlice<String>) -> JSONDeclaration {
        guard let name = path.first else { return .scalar }
        return .object([(name: name, value: declaration(path.dropFirst()))], ignoringCase: false)
    }

    /// Calls the body with each record of a list.
    package func forEach(in records: JSONValue, _ body: (RawRecord) throws -> Void) rethrows {
        guard records.kind == .array else { return }
        try walk(records, from: 1) { walker, record in
            while walker.findNext() { try body(record(&walker)) }
        }
    }

    package func read<Result>(_ record: JSONValue, _ body: (RawRecord) throws -> Result) rethrows -> Result {
        try walk(record, from: 0) { walker, record in try body(record(&walker)) }
    }

    /// - Parameter body: has a closure that reads the record that the walker is at.
    private func walk<Result>(
        _ value: JSONValue, from start: Int,
        _ body: (inout JSONWalker, (inout JSONWalker) -> RawRecord) throws -> Result
    ) rethrows -> Result {
        // By place, then by field.
        let fields = shape.entries.count..<shape.entries.count + count
        var ranges = [Range<Int>](repeating: 0..<0, count: fields.upperBound)
        return try value.raw.withUnsafeBufferPointer { bytes in
            try shape.entries.withUnsafeBufferPointer { entries in
                try ranges.withUnsafeMutableBufferPointer { ranges in
                    var walker = JSONWalker(bytes: bytes, at: start)
                    return try body(&walker) { walker in
                        ranges.update(repeating: 0..<0)
                        let start = walker.at
                        if start < bytes.count, bytes[start] == UInt8(ascii: "{") {
                            _ = shape.findMembers(&walker, entries, upTo: .max, ranges)
                        } else {
                            _ = walker.skipValue()
                        }
                        for (field, place) in places where !ranges[place].isEmpty {
                            ranges[fields.lowerBound + field] = ranges[place]
                        }
                        return RawRecord(
                            json: RawJSON(bytes: UnsafeBufferPointer(rebasing: bytes[start..<walker.at])),
                            text: bytes,
                            ranges: UnsafeBufferPointer(UnsafeMutableBufferPointer(rebasing: ranges[fields])))
                    }
                }
            }
        }
    }
}

/// A record and its selected members, valid only during the call that it is passed to.
package struct RawRecord {
    package let json: RawJSON
    fileprivate let text: UnsafeBufferPointer<UInt8>
    /// By field; empty for a missing member.
    fileprivate let ranges: UnsafeBufferPointer<Range<Int>>

    /// In the order of their names.
    package var fields: Range<Int> { ranges.indices }

    /// Nil for null and for a missing member.
    package subscript(_ field: Int) -> RawJSON? {
        let range = ranges[field]
        guard !range.isEmpty, text[range.lowerBound] != UInt8(ascii: "n") else { return nil }
        return RawJSON(bytes: UnsafeBufferPointer(rebasing: text[range]))
    }
}
