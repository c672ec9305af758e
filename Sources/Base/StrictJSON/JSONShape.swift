/// A declaration as a table: a walk through a record compares numbers, and counts no references.
struct JSONShape: Sendable {
    struct Entry {
        /// The first eight bytes of the name, and its length.
        var beginning: UInt64 = 0
        var length = 0
        /// Places of an object's members. They are neighbours.
        var members = 0..<0
    }

    /// By place; the declared value itself has place 0. The elements of lists are not part of it.
    private(set) var entries = [Entry()]
    private var names: [[UInt8]] = [[]]
    private(set) var elements: [JSONDeclaration?]

    init(members: [(name: String, value: JSONDeclaration)], elements: JSONDeclaration?) {
        self.elements = [elements]
        entries[0].members = 1..<1 + members.count
        for (name, value) in members {
            var entry = Entry()
            var text = name
            text.withUTF8 { (entry.beginning, entry.length) = (Self.beginning($0), $0.count) }
            // Such a name is never written as it is.
            if name.utf8.contains(UInt8(ascii: "\\")) { entry.length = -1 }
            entries.append(entry)
            names.append(Array(name.utf8))
            self.elements.append(value.elements)
        }
        for (index, member) in members.enumerated() {
            let (shape, offset) = (member.value.shape, entries.count - 1)
            func moved(_ places: Range<Int>) -> Range<Int> {
                places.lowerBound + offset..<places.upperBound + offset
            }
            entries[index + 1].members = moved(shape.entries[0].members)
            for var entry in shape.entries.dropFirst() {
                entry.members = moved(entry.members)
                entries.append(entry)
            }
            names += shape.names.dropFirst()
            self.elements += shape.elements.dropFirst()
        }
    }

    @inline(__always)
    private static func beginning(_ name: UnsafeBufferPointer<UInt8>) -> UInt64 {
        if name.count >= 8 { return UnsafeRawPointer(name.baseAddress!).loadUnaligned(as: UInt64.self) }
        var word: UInt64 = 0
        for byte in name { word = word << 8 | UInt64(byte) }
        return word
    }

    /// The place of a member of the object at that place.
    /// - Parameters:
    ///   - isWritten: whether the name may have escapes.
    ///   - hint: looked at first.
    @inline(__always)
    func place(
        of name: UnsafeBufferPointer<UInt8>, isWritten: Bool, in object: Int, tryingFirst hint: Int = 0,
        _ entries: UnsafeBufferPointer<Entry>
    ) -> Int? {
        let (beginning, members) = (Self.beginning(name), entries[object].members)
        if members.contains(hint), isNamed(hint, beginning, name, entries) { return hint }
        for place in members where isNamed(place, beginning, name, entries) { return place }
        guard name.contains(UInt8(ascii: "\\")) else { return nil }
        let text = isWritten ? unescape(name) : Array(name)
        return members.first { names[$0] == text }
    }

    @inline(__always)
    private func isNamed(
        _ place: Int, _ beginning: UInt64, _ name: UnsafeBufferPointer<UInt8>,
        _ entries: UnsafeBufferPointer<Entry>
    ) -> Bool {
        entries[place].beginning == beginning && entries[place].length == name.count
            && (name.count <= 8 || names[place].elementsEqual(name))
    }
}
