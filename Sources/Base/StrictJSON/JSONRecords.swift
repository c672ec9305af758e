/// The elements of a list of records, which are found but not read.
package struct JSONRecords: Sendable {
    private let document: ArraySlice<UInt8>
    /// From the start of the document.
    private let ranges: [Range<Int>]
    private let shape: JSONShape?
    /// That a list is too long, which is told after what is wrong with its records.
    package let excess: FormatError?

    init(
        _ document: ArraySlice<UInt8>, _ ranges: [Range<Int>], _ shape: JSONShape?, excess: FormatError?
    ) {
        (self.document, self.ranges, self.shape, self.excess) = (document, ranges, shape, excess)
    }

    private static let none = JSONDeclaration.nothing.shape

    package var count: Int { ranges.count }

    /// Calls the body with records of a run, in order.
    package func forEach(
        in run: Range<Int>, _ body: (JSONRecord) throws(FormatError) -> Void
    ) throws(FormatError) {
        let shape = shape ?? Self.none
        var members = [Range<Int>](repeating: 0..<0, count: shape.entries.count)
        try document.withUnsafeBufferPointer { bytes throws(FormatError) in
            try shape.entries.withUnsafeBufferPointer { entries throws(FormatError) in
                try members.withUnsafeMutableBufferPointer { members throws(FormatError) in
                    for range in ranges[run] {
                        let record = JSONRecord(bytes, range, UnsafeBufferPointer(members))
                        members.update(repeating: 0..<0)
                        var walker = JSONWalker(bytes: bytes, at: range.lowerBound)
                        if members.count > 1, bytes[range.lowerBound] == UInt8(ascii: "{"),
                            !shape.findMembers(&walker, entries, upTo: FormatLimits.members, members)
                        {
                            throw FormatError(
                                place: JSONPlace(of: walker.at, in: bytes).description,
                                reason: "more than \(FormatLimits.members) members")
                        }
                        try body(record)
                    }
                }
            }
        }
    }
}
