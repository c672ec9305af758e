/// A declaration as a table: a walk through a record compares numbers, and counts no references.
struct JSONShape: Sendable {
    struct Entry {
        /// The first eight bytes of the name, the last eight of a longer one, and its length.
        var beginning: UInt64 = 0
        var ending: UInt64 = 0
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
            text.withUTF8 { text in
                entry.beginning = text.beginning(of: 0..<text.count)
                entry.ending = text.ending(of: 0..<text.count)
                entry.length = text.count
            }
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

    /// The place of a member of the object at that place.
    /// - Parameters:
    ///   - name: its range in the text.
    ///   - isWritten: whether the name may have escapes.
    ///   - hint: looked at first.
    @inline(__always)
    func place(
        of name: Range<Int>, _ text: UnsafeBufferPointer<UInt8>, isWritten: Bool, in object: Int,
        tryingFirst hint: Int = 0, _ entries: UnsafeBufferPointer<Entry>
    ) -> Int? {
        let (beginning, ending) = (text.beginning(of: name), text.ending(of: name))
        let members = entries[object].members
        func isNamed(_ place: Int) -> Bool {
            let entry = entries[place]
            return entry.beginning == beginning && entry.length == name.count && entry.ending == ending
                && (name.count <= 16 || names[place].elementsEqual(text[name]))
        }
        // The next one is mostly near.
        let start = members.contains(hint) ? hint : members.lowerBound
        for place in start..<members.upperBound where isNamed(place) { return place }
        for place in members.lowerBound..<start where isNamed(place) { return place }
        guard text[name].contains(UInt8(ascii: "\\")) else { return nil }
        let unescaped = isWritten ? unescape(text[name]) : Array(text[name])
        return members.first { names[$0] == unescaped }
    }

    /// The place of a member of the object at that place.
    func place(of name: String, in object: Int) -> Int? {
        var name = name
        return name.withUTF8 { name in
            entries.withUnsafeBufferPointer {
                place(of: 0..<name.count, name, isWritten: false, in: object, $0)
            }
        }
    }

    /// Finds where the members of the object that the walker is at stand, and those of the objects in it, as deep as the
    /// declaration at most. Goes to its end.
    /// - Parameters:
    ///   - limit: of the members of one object. If one has more, the walker is at it, and the result is false.
    ///   - ranges: by place.
    func findMembers(
        _ walker: inout JSONWalker, _ entries: UnsafeBufferPointer<Entry>, upTo limit: Int,
        _ ranges: UnsafeMutableBufferPointer<Range<Int>>
    ) -> Bool {
        findMembers(&walker, of: 0, entries, upTo: limit, ranges)
    }

    private func findMembers(
        _ walker: inout JSONWalker, of object: Int, _ entries: UnsafeBufferPointer<Entry>, upTo limit: Int,
        _ ranges: UnsafeMutableBufferPointer<Range<Int>>
    ) -> Bool {
        let start = walker.at
        walker.at += 1
        // Members mostly stand in the order of the declaration.
        var (count, next) = (0, entries[object].members.lowerBound)
        while walker.findNext() {
            count += 1
            guard count <= limit else {
                walker.at = start
                return false
            }
            let name = walker.nextNameRange()
            guard
                let place = place(
                    of: name, walker.bytes, isWritten: true, in: object, tryingFirst: next, entries)
            else {
                _ = walker.skipValue()
                continue
            }
            next = place + 1
            let begin = walker.at
            if !entries[place].members.isEmpty, begin < walker.bytes.count,
                walker.bytes[begin] == UInt8(ascii: "{")
            {
                guard findMembers(&walker, of: place, entries, upTo: limit, ranges) else { return false }
                ranges[place] = begin..<walker.at
            } else {
                ranges[place] = walker.skipValue()
            }
        }
        // Damaged text may end here.
        walker.at = min(walker.at + 1, walker.bytes.count)
        return true
    }
}
