/// The text of a configuration file of userd.
package struct Configuration: Sendable {
    package let bytes: [UInt8]
    let root: YAMLNode?

    package init(_ bytes: [UInt8]) throws(YAMLError) {
        self.bytes = bytes
        root = try YAMLNode.document(bytes)
    }

    /// The member that gives a setting, such as `carddav.port`, or a section.
    package subscript(name: String) -> YAMLMember? {
        let parts = name.split(separator: ".")
        let path = path(to: parts)
        return path.count == parts.count ? path.last : nil
    }

    /// The single value of a setting; nil if it has none.
    package func text(_ name: String) -> String? { self[name]?.value.text }

    /// The members on the way to a name, as far as they exist.
    func path(to parts: [Substring]) -> [YAMLMember] {
        var path: [YAMLMember] = []
        for part in parts {
            guard let next = (path.last?.value ?? root)?.members.first(where: { $0.name == part }) else {
                break
            }
            path.append(next)
        }
        return path
    }

    /// All values, by the names that lead to them. A null is none: it is how an empty section is written.
    package var values: [[String]: YAMLNode.Content] {
        var values: [[String]: YAMLNode.Content] = [:]
        func add(_ node: YAMLNode, _ path: [String]) {
            switch node.content {
            case .scalar(let text, _): values[path] = node.isNull ? nil : .scalar(text, isPlain: true)
            case .sequence(let nodes) where !nodes.isEmpty:
                for (index, node) in nodes.enumerated() { add(node, path + ["\(index)"]) }
            case .mapping(let members) where !members.isEmpty:
                for member in members { add(member.value, path + [member.name]) }
            case let empty: values[path] = empty
            }
        }
        if let root { add(root, []) }
        return values
    }
}
