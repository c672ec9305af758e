/// A document, and where the declared members of one object of it stand, with those of the objects in it: all that is read
/// of a record, found in one walk.
final class JSONSource {
    let document: ArraySlice<UInt8>
    let shape: JSONShape?
    /// Of the text that the document is in, which begins so many bytes before it.
    let longValues: LongValues
    let origin: Int
    /// By place, from the start of the document; empty for what is absent.
    private(set) var ranges: [Range<Int>] = []

    init(
        _ document: ArraySlice<UInt8>, _ shape: JSONShape?, _ longValues: LongValues = LongValues(),
        origin: Int = 0
    ) {
        (self.document, self.shape) = (document, shape)
        (self.longValues, self.origin) = (longValues, origin)
    }

    /// For another value of the document.
    func with(_ shape: JSONShape?) -> JSONSource {
        JSONSource(document, shape, longValues, origin: origin)
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
            ranges.withUnsafeMutableBufferPointer {
                shape.findMembers(&walker, entries, upTo: FormatLimits.members, $0)
            }
        }
    }

    /// Nil for a member that is absent or not declared.
    func member(_ name: String, of object: Int) -> (place: Int, range: Range<Int>)? {
        guard let shape, let place = shape.place(of: name, in: object), !ranges[place].isEmpty else {
            return nil
        }
        return (place, ranges[place])
    }
}
