/// A document, and where the declared members of one object of it stand, with those of the objects in it: all that is read
/// of a record, found in one walk.
final class JSONSource {
    let document: ArraySlice<UInt8>
    let shape: JSONShape?
    /// By place, from the start of the document; empty for what is absent.
    private(set) var ranges: [Range<Int>] = []

    init(_ document: ArraySlice<UInt8>, _ shape: JSONShape?) {
        (self.document, self.shape) = (document, shape)
    }

    /// Goes to the end of the object that the walker is at. False if it, or one in it, has too many members: the walker
    /// is then at that one.
    func findMembers(_ walker: inout JSONWalker) -> Bool {
        guard let shape else { return false }
        if ranges.isEmpty {
            ranges = Array(repeating: 0..<0, count: shape.entries.count)
        } else {
            for place in ranges.indices { ranges[place] = 0..<0 }
        }
        return shape.entries.withUnsafeBufferPointer { entries in
            ranges.withUnsafeMutableBufferPointer { Self.walk(&walker, 0, shape, entries, $0) }
        }
    }

    /// As deep as the declaration at most.
    private static func walk(
        _ walker: inout JSONWalker, _ object: Int, _ shape: borrowing JSONShape,
        _ entries: UnsafeBufferPointer<JSONShape.Entry>, _ ranges: UnsafeMutableBufferPointer<Range<Int>>
    ) -> Bool {
        let start = walker.at
        walker.at += 1
        // Members mostly stand in the order of the declaration.
        var (count, next) = (0, entries[object].members.lowerBound)
        while walker.findNext() {
            count += 1
            guard count <= FormatLimits.members else {
                walker.at = start
                return false
            }
            let name = walker.nextName()
            guard let place = shape.place(of: name, isWritten: true, in: object, tryingFirst: next, entries)
            else {
                _ = walker.skipValue()
                continue
            }
            next = place + 1
            let begin = walker.at
            if !entries[place].members.isEmpty, begin < walker.bytes.count,
                walker.bytes[begin] == UInt8(ascii: "{")
            {
                guard walk(&walker, place, shape, entries, ranges) else { return false }
                ranges[place] = begin..<walker.at
            } else {
                ranges[place] = walker.skipValue()
            }
        }
        // Damaged text may end here.
        walker.at = min(walker.at + 1, walker.bytes.count)
        return true
    }

    /// Nil for a member that is absent or not declared.
    func member(_ name: String, of object: Int) -> (place: Int, range: Range<Int>)? {
        guard let shape else { return nil }
        var name = name
        let place = name.withUTF8 { name in
            shape.entries.withUnsafeBufferPointer { shape.place(of: name, isWritten: false, in: object, $0) }
        }
        guard let place, !ranges[place].isEmpty else { return nil }
        return (place, ranges[place])
    }
}
