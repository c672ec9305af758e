/// The part of a pointer after its first `*`.
package struct Branches: Sendable {
    /// Each part leads to the next `*` or to the end.
    private let parts: [(reader: RecordReader, slot: Int)]

    /// - Returns: the parts before and after the first `*`; nil for a pointer without one.
    package static func split(_ pointer: Pointer) -> (stem: Pointer, Branches)? {
        let parts = pointer.steps.split(separator: .all, omittingEmptySubsequences: false)
            .map { Pointer(Array($0), description: pointer.description) }
        guard parts.count > 1 else { return nil }
        let branches = parts.dropFirst().map { part in
            var reader = RecordReader()
            let slot = reader.add(part)
            return (reader: reader, slot: slot)
        }
        return (parts[0], Branches(parts: branches))
    }

    /// Finds the pointer's values, one for each element; nil if the element has none.
    /// - Parameter value: the value at the pointer's stem.
    /// - Returns: each value with the name of the innermost member that a `*` matched.
    package func values(in value: JSONValue) -> [(key: String?, value: JSONValue?)] {
        parts.reduce([(nil, value)]) { found, part in
            found.flatMap { key, value -> [(key: String?, value: JSONValue?)] in
                let all: [(key: String?, value: JSONValue)] =
                    value?.members?.map { ($0.name, $0.value) } ?? value?.elements?.map { (key, $0) } ?? []
                return all.map { ($0.key, part.reader.read($0.value)[part.slot]) }
            }
        }
    }
}
