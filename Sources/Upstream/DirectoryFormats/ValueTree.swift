import StrictJSON

/// Many pointers as one tree, so that a value is walked through once for all of them. What it does not name is not read.
struct ValueTree: Sendable {
    private struct Node: Sendable {
        var members: [(name: String, bytes: [UInt8], node: Int)] = []
        var elements: [(place: Element, node: Int)] = []
        /// Those that the pointers ending here were given.
        var slots: [Int] = []
        /// What is read of a value that is taken as a whole.
        var whole: JSONDeclaration?
    }

    private enum Element: Hashable {
        case index(Int)
        /// - Parameter value: in lower case.
        case matching(key: String, value: String)
    }

    private var nodes = [Node()]
    private(set) var slots = 0

    /// - Parameter declared: what is read of the value there.
    /// - Returns: the slot in which `values` has what the pointer leads to.
    mutating func add(_ pointer: Pointer, reading declared: JSONDeclaration = .scalar) -> Int {
        var node = 0
        for step in pointer.steps {
            switch step {
            case .named(let name):
                let member = member(name, of: node)
                // The first of a list, or a member that is called 0.
                if let index = Int(name), index >= 0 { link(.index(index), to: member, of: node) }
                node = member
            case .matching(let key, let value):
                node = element(.matching(key: key, value: value.lowercased()), of: node)
            }
        }
        nodes[node].slots.append(slots)
        nodes[node].whole = nodes[node].whole?.or(declared) ?? declared
        slots += 1
        return slots - 1
    }

    private mutating func member(_ name: String, of node: Int) -> Int {
        if let known = nodes[node].members.first(where: { $0.name == name }) { return known.node }
        nodes.append(Node())
        nodes[node].members.append((name, Array(name.utf8), nodes.count - 1))
        return nodes.count - 1
    }

    private mutating func link(_ place: Element, to target: Int, of node: Int) {
        guard !nodes[node].elements.contains(where: { $0.node == target }) else { return }
        nodes[node].elements.append((place, target))
    }

    private mutating func element(_ place: Element, of node: Int) -> Int {
        if let known = nodes[node].elements.first(where: { $0.place == place }) { return known.node }
        nodes.append(Node())
        nodes[node].elements.append((place, nodes.count - 1))
        return nodes.count - 1
    }

    /// What the pointers lead to, by slot.
    func values(of value: JSONValue) -> [JSONValue?] {
        var values = [JSONValue?](repeating: nil, count: slots)
        walk(value, 0, &values)
        return values
    }

    private func walk(_ value: JSONValue, _ index: Int, _ values: inout [JSONValue?]) {
        let node = nodes[index]
        for slot in node.slots where values[slot] == nil { values[slot] = value }
        switch value.kind {
        case .object where !node.members.isEmpty: walkMembers(of: value, node, &values)
        case .array where !node.elements.isEmpty: walkElements(of: value, node, &values)
        default: break
        }
    }

    private func walkMembers(of value: JSONValue, _ node: Node, _ values: inout [JSONValue?]) {
        // By the bytes of names: most members are not asked for.
        var found = [(value: JSONValue, isExact: Bool)?](repeating: nil, count: node.members.count)
        value.forEachMember { name, value in
            for place in node.members.indices where node.members[place].bytes.count == name.count {
                let wanted = node.members[place].bytes
                if wanted.elementsEqual(name) {
                    found[place] = (value, true)
                } else if found[place] == nil, name.equalsIgnoringCase(wanted) {
                    found[place] = (value, false)
                }
            }
        }
        for place in found.indices {
            if let value = found[place]?.value { walk(value, node.members[place].node, &values) }
        }
    }

    private func walkElements(of value: JSONValue, _ node: Node, _ values: inout [JSONValue?]) {
        guard let elements = value.elements(upTo: FormatLimits.members) else { return }
        for (place, target) in node.elements {
            switch place {
            case .index(let index):
                if elements.indices.contains(index) { walk(elements[index], target, &values) }
            case .matching(let key, let wanted):
                let match = elements.first { element in
                    element[key]?.text.map { $0 == wanted || $0.lowercased() == wanted } ?? false
                }
                if let match { walk(match, target, &values) }
            }
        }
    }

    /// Pointers to members of an object, and of objects in it, that no pointer leads to or through.
    func unread(in value: JSONValue) -> [String] { unread(in: value, 0, "") }

    private func unread(in value: JSONValue, _ index: Int, _ path: String) -> [String] {
        let node = nodes[index]
        guard node.slots.isEmpty, let members = value.members(upTo: FormatLimits.members) else { return [] }
        return members.flatMap { member in
            let name = member.name.replacing("~", with: "~0").replacing("/", with: "~1")
            let known = node.members.first { $0.name.lowercased() == member.name.lowercased() }
            if let known { return unread(in: member.value, known.node, "\(path)/\(name)") }
            return member.value.isNull ? [] : ["\(path)/\(name)"]
        }
    }

    /// What is read, for recordings.
    var declaration: JSONDeclaration { declaration(of: 0) ?? .scalar }

    private func declaration(of index: Int) -> JSONDeclaration? {
        let node = nodes[index]
        var parts = node.whole.map { [$0] } ?? []
        let members = node.members.compactMap { member in
            declaration(of: member.node).map { (member.name, $0) }
        }
        if !members.isEmpty { parts.append(.object(members, ignoringCase: true)) }
        let elements = node.elements.flatMap { place, target -> [JSONDeclaration] in
            guard let read = declaration(of: target) else { return [] }
            guard case .matching(let key, _) = place else { return [read] }
            return [read, .object([(key, .scalar)], ignoringCase: true)]
        }
        if let element = elements.merged { parts.append(.list(of: element)) }
        return parts.merged
    }
}

extension [JSONDeclaration] {
    fileprivate var merged: JSONDeclaration? { dropFirst().reduce(first) { $0?.or($1) } }
}

extension UnsafeBufferPointer<UInt8> {
    fileprivate func equalsIgnoringCase(_ name: [UInt8]) -> Bool {
        zip(self, name).allSatisfy { a, b in
            a == b || a ^ b == 0x20 && UInt8(ascii: "a")...UInt8(ascii: "z") ~= a | 0x20
        }
    }
}

extension JSONValue {
    /// A string that is not blank, a number or a boolean as it is written; nil for all else.
    var text: String? {
        switch kind {
        case .string: string.flatMap { $0.isBlank ? nil : $0 }
        case .number, .bool: String(decoding: raw, as: UTF8.self)
        case .object, .array, .null: nil
        }
    }
}

extension String {
    fileprivate var isBlank: Bool {
        // Most texts begin with a letter or digit.
        if let first = utf8.first, 0x21..<0x7F ~= first { return false }
        return allSatisfy(\.isWhitespace)
    }
}
