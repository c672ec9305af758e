import StrictJSON

/// Reads some of a record's members, and of those of its members, by their names in one, as in `name_first`. Nothing else
/// of the record is decoded: of a user's two dozen members a table shows six.
package struct FieldReader: Sendable {
    private let names: [[UInt8]]

    package init(_ names: [String]) { self.names = names.map { Array($0.utf8) } }

    /// In the order of the names: texts without their escapes, all else as it is written; nil for null and for what is
    /// missing.
    package func fields(of record: JSONValue) -> [String?] {
        var fields = [String?](repeating: nil, count: names.count)
        read(record, names.indices, from: 0, into: &fields)
        return fields
    }

    /// - Parameters:
    ///   - wanted: whose names are this object's up to there.
    ///   - start: where the names of its members begin.
    private func read(
        _ object: JSONValue, _ wanted: some Sequence<Int>, from start: Int, into fields: inout [String?]
    ) {
        object.forEachMember { name, value in
            let end = start + name.count
            var nested: [Int] = []
            for index in wanted where names[index].holds(name, at: start) {
                if names[index].count == end {
                    fields[index] =
                        value.isNull ? nil : value.string ?? String(decoding: value.raw, as: UTF8.self)
                } else if names[index][end] == UInt8(ascii: "_") {
                    nested.append(index)
                }
            }
            if !nested.isEmpty { read(value, nested, from: end + 1, into: &fields) }
        }
    }
}

extension [UInt8] {
    /// Asked of each member for each name, and nearly always answered by the first byte.
    fileprivate func holds(_ name: ArraySlice<UInt8>, at start: Int) -> Bool {
        guard let first = name.first, start + name.count <= count, self[start] == first else { return false }
        return self[start..<(start + name.count)] == name
    }
}
