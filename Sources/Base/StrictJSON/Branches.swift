/// What a pointer has behind its first `*`.
package struct Branches: Sendable {
    /// Up to the next `*`, or to the end.
    private let parts: [(reader: RecordReader, slot: Int)]

    /// - Returns: what is in front of the first `*`, and what is behind; nil for a pointer without one.
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

    /// What the pointer leads to below the value that its stem leads to: for each element something, or nil.
    /// - Returns: with the names of the innermost members that were passed at a `*`.
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
