/// Reads selected values of records. Its pointers form one tree, so that a record is walked once for all of
/// them. Other values are not decoded.
package struct RecordReader: Sendable {
    fileprivate struct Node: Sendable {
        var members: [(name: [UInt8], node: Int)] = []
        var elements: [(place: Element, node: Int)] = []
        /// The node for the value of each member. Only `kept` reads it.
        var values: Int?
        /// Whether a pointer ends here.
        var isRead = false
        /// Changes a string that is kept.
        var change: (@Sendable (String) -> String)?

        var isLeaf: Bool { members.isEmpty && elements.isEmpty }
    }

    fileprivate enum Element: Hashable {
        case index(Int)
        /// - Parameter value: lower case.
        case matching(key: [String], value: String)
        case referring(key: [String], slot: Int)
        case each
    }

    private var nodes = [Node()]
    private var hasReferences = false

    package init() {}

    /// - Parameter root: leads to the record.
    /// - Returns: the slot of the pointer's value in a record. Equal pointers have equal slots.
    @discardableResult
    package mutating func add(
        _ pointer: Pointer, below root: [Pointer.Step] = [], change: (@Sendable (String) -> String)? = nil
    ) -> Int {
        var node = 0
        for (index, step) in (root + pointer.steps).enumerated() {
            switch step {
            case .named(let name):
                let member = member(name, of: node)
                // `0` is the first element of a list, or a member named 0.
                if let index = Int(name), index >= 0 { link(.index(index), to: member, of: node) }
                node = member
            case .matching(let key, let value):
                node = element(.matching(key: key, value: value.lowercased()), reading: key, of: node)
            case .referring(let key, let reference):
                let slot = add(Pointer(path: reference), below: index < root.count ? [] : root)
                node = element(.referring(key: key, slot: slot), reading: key, of: node)
                hasReferences = true
            case .each:
                node = element(.each, of: node)
            case .all:
                let each = element(.each, of: node)
                nodes[node].values = each
                node = each
            }
        }
        nodes[node].isRead = true
        nodes[node].change = change
        return node
    }

    private mutating func member(_ name: String, of node: Int) -> Int {
        let bytes = Array(name.utf8)
        if let known = nodes[node].members.first(where: { $0.name == bytes }) { return known.node }
        nodes.append(Node())
        nodes[node].members.append((bytes, nodes.count - 1))
        return nodes.count - 1
    }

    private mutating func link(_ place: Element, to target: Int, of node: Int) {
        guard !nodes[node].elements.contains(where: { $0.node == target }) else { return }
        nodes[node].elements.append((place, target))
    }

    /// - Parameter key: the place in the element of what it is chosen by.
    private mutating func element(_ place: Element, reading key: [String] = [], of node: Int) -> Int {
        if let known = nodes[node].elements.first(where: { $0.place == place }) { return known.node }
        nodes.append(Node())
        let found = nodes.count - 1
        nodes[node].elements.append((place, found))
        let chosenBy = key.reduce(found) { member($1, of: $0) }
        if !key.isEmpty { nodes[chosenBy].isRead = true }
        return found
    }

    package func read(_ value: JSONValue) -> JSONRecord {
        var record = JSONRecord(value)
        read(value, into: &record)
        return record
    }

    /// - Parameter record: reused to save an allocation.
    package func read(_ value: JSONValue, into record: inout JSONRecord) {
        record.reset(value, slots: nodes.count)
        record.found[0] = (value.raw.indices, true)
        walk(0, &record)
        // The second time, references are known.
        if hasReferences { walk(0, &record) }
    }

    /// Finds the values of the pointers below a node, whose own value is found already.
    private func walk(_ index: Int, _ record: inout JSONRecord) {
        // Most nodes are leaves, and copying a node costs reference counting.
        guard !nodes[index].isLeaf, let value = record[index] else { return }
        let node = nodes[index]
        switch value.kind {
        case .object where !node.members.isEmpty:
            var next = 0
            value.forEachMember { name, range in
                // Members usually come in the order of the pointers.
                guard let (place, isExact) = node.place(of: name, tryingFirst: next) else { return }
                next = place + 1
                let target = node.members[place].node
                if isExact || !record.found[target].isExact { record.found[target] = (range, isExact) }
            }
            for member in node.members { walk(member.node, &record) }
        case .array where !node.elements.isEmpty:
            var index = 0
            value.forEachElement { element in
                for (place, target) in node.elements
                where record.found[target].range.isEmpty && place.holds(for: element, at: index, of: record) {
                    record.found[target] = (element.raw.indices, true)
                }
                index += 1
            }
            for element in node.elements { walk(element.node, &record) }
        default: break
        }
    }

    /// Returns pointers to the members of an object and its inner objects that no pointer leads to or
    /// through.
    package func unread(in value: JSONValue) -> [String] { unread(in: value, 0, JSONPlace()) }

    private func unread(in value: JSONValue, _ index: Int, _ place: JSONPlace) -> [String] {
        let node = nodes[index]
        guard !node.isRead, let members = value.members(upTo: FormatLimits.members) else { return [] }
        return members.flatMap { member in
            let place = JSONPlace(place.steps + [.member(member.name)])
            if let known = node.targets(of: member.name).first {
                return unread(in: member.value, known, place)
            }
            return member.value.isNull ? [] : [place.pointer]
        }
    }

    /// Returns the value reduced to what pointers lead to, as JSON without white space. Other values on the
    /// way are null.
    package func kept(of value: JSONValue) -> [UInt8] {
        var json: [UInt8] = []
        write(value, [nodes[0]], to: &json)
        return json
    }

    /// - Parameter nodes: all nodes that lead to this value.
    private func write(_ value: JSONValue, _ nodes: [Node], to json: inout [UInt8]) {
        let isRead = nodes.contains(where: \.isRead)
        switch value.kind {
        case .string where isRead:
            let text = value.string ?? ""
            json += StrictJSON.quoted(nodes.lazy.compactMap(\.change).first?(text) ?? text)
        case .number where isRead, .bool where isRead:
            json += value.raw
        case .object where nodes.contains { !$0.members.isEmpty || $0.values != nil }:
            let kept = (value.members ?? []).compactMap { member in
                let targets = nodes.flatMap { $0.targets(of: member.name) } + nodes.compactMap(\.values)
                return targets.isEmpty ? nil : (member: member, nodes: targets.map { self.nodes[$0] })
            }
            StrictJSON.enclose("{", kept, "}", in: &json) { kept, json in
                json += StrictJSON.quoted(kept.member.name)
                json.append(UInt8(ascii: ":"))
                write(kept.member.value, kept.nodes, to: &json)
            }
        case .array where nodes.contains { !$0.elements.isEmpty }:
            let targets = nodes.flatMap { $0.elements.map { self.nodes[$0.node] } }
            StrictJSON.enclose("[", value.elements ?? [], "]", in: &json) { write($0, targets, to: &$1) }
        default:
            json += "null".utf8
        }
    }
}

/// A record with the values that the pointers of a `RecordReader` find.
package struct JSONRecord: Sendable {
    package private(set) var json: JSONValue
    /// The name of the member that holds the record, as a JSON string; nil if it was not found by name.
    package var key: JSONValue?
    /// The range of each slot's value in the text of the record; empty if absent.
    fileprivate var found: [(range: Range<Int>, isExact: Bool)] = []

    package init(_ json: JSONValue) { self.json = json }

    fileprivate mutating func reset(_ value: JSONValue, slots: Int) {
        json = value
        if found.count == slots {
            for slot in found.indices { found[slot] = (0..<0, false) }
        } else {
            found = Array(repeating: (0..<0, false), count: slots)
        }
    }

    package subscript(_ slot: Int) -> JSONValue? {
        found[slot].range.isEmpty ? nil : JSONValue(validated: json.raw[found[slot].range])
    }
}

extension RecordReader.Element {
    fileprivate func holds(for element: JSONValue, at index: Int, of record: JSONRecord) -> Bool {
        func has(_ wanted: String, at key: [String]) -> Bool {
            guard let value = key.reduce(element as JSONValue?, { $0?[$1] }) else { return wanted.isEmpty }
            return value.scalar.map { $0 == wanted || $0.lowercased() == wanted } ?? false
        }
        return switch self {
        case .index(let wanted): wanted == index
        case .matching(let key, let wanted): has(wanted, at: key)
        case .referring(let key, let slot):
            record[slot]?.scalar.map { has($0.lowercased(), at: key) } ?? false
        case .each: false
        }
    }
}

extension RecordReader.Node {
    /// The index of the member with this name; ignores case if no name matches exactly.
    fileprivate func place(
        of name: UnsafeBufferPointer<UInt8>, tryingFirst start: Int
    ) -> (place: Int, isExact: Bool)? {
        var similar: Int?
        var next = start
        for _ in members.indices {
            let place = next < members.count ? next : 0
            next = place + 1
            guard members[place].name.count == name.count else { continue }
            if members[place].name.elementsEqual(name) { return (place, true) }
            if name.equalsIgnoringCase(members[place].name) { similar = place }
        }
        return similar.map { ($0, false) }
    }

    /// The nodes of the member with this name.
    fileprivate func targets(of name: String) -> [Int] {
        var name = name
        let found = name.withUTF8 { place(of: $0, tryingFirst: 0) }
        return found.map { [members[$0.place].node] } ?? []
    }
}

extension JSONValue {
    /// Calls the body with each member of an object in text order.
    /// - Parameter body: gets the unescaped name, and the range of the value in `raw`.
    fileprivate func forEachMember(_ body: (UnsafeBufferPointer<UInt8>, Range<Int>) -> Void) {
        let start = raw.startIndex
        raw.withUnsafeBufferPointer { bytes in
            var walker = JSONWalker(bytes: bytes, at: 1)
            while walker.findNext() {
                let name = walker.nextName()
                let range = walker.skipValue()
                let value = start + range.lowerBound..<start + range.upperBound
                if name.isWritten {
                    body(name, value)
                } else {
                    unescape(name).withUnsafeBufferPointer { body($0, value) }
                }
            }
        }
    }
}

extension UnsafeBufferPointer<UInt8> {
    fileprivate func equalsIgnoringCase(_ name: [UInt8]) -> Bool {
        zip(self, name).allSatisfy { a, b in
            a == b || a ^ b == 0x20 && UInt8(ascii: "a")...UInt8(ascii: "z") ~= a | 0x20
        }
    }
}
