/// A value of a YAML document. Scalars are always text, because the reader of a value knows its type.
package struct YAMLNode: Sendable, Equatable {
    package enum Content: Sendable, Equatable {
        /// - Parameter isPlain: whether it was written without quotes and not as a block.
        case scalar(String, isPlain: Bool)
        case sequence([YAMLNode])
        /// Members in the order of the file, with different names.
        case mapping([YAMLMember])
    }

    package let content: Content
    package let line: Int
    /// The column in characters, counted from 1.
    package let column: Int

    /// Whether the value is empty or one of YAML's words for null.
    package var isNull: Bool {
        guard case .scalar(let text, isPlain: true) = content else { return false }
        return ["", "~", "null", "Null", "NULL"].contains(text)
    }

    /// Empty if the value is not a mapping.
    var members: [YAMLMember] {
        if case .mapping(let members) = content { members } else { [] }
    }

    /// The line where the last of its values begins.
    var lastLine: Int {
        switch content {
        case .scalar: line
        case .sequence(let nodes): nodes.last?.lastLine ?? line
        case .mapping(let members): members.last?.value.lastLine ?? line
        }
    }

    /// Names of the members; empty if the value is not a mapping.
    package var names: [String] { members.map(\.name) }

    package var isSequence: Bool {
        if case .sequence = content { true } else { false }
    }

    /// The text of a scalar; nil for other values.
    package var text: String? {
        guard case .scalar(let text, _) = content, !isNull else { return nil }
        return text
    }

    /// The text of a scalar, or the texts of a list of scalars; nil for other values.
    package var texts: [String]? {
        switch content {
        case .scalar(let text, _): return isNull ? nil : [text]
        case .sequence(let nodes):
            var texts: [String] = []
            for node in nodes {
                guard let text = node.text else { return nil }
                texts.append(text)
            }
            return texts
        case .mapping: return nil
        }
    }

    package var noun: String {
        switch content {
        case .scalar: isNull ? "no value" : "a single value"
        case .sequence: "a list"
        case .mapping: "a mapping"
        }
    }
}

/// A member of a mapping, with the place of its name.
package struct YAMLMember: Sendable, Equatable {
    package let name: String
    package let value: YAMLNode
    package let line: Int
    package let column: Int
}

/// The reason that a file cannot be read as YAML, or that an edit of it is refused.
package struct YAMLError: Error, Equatable {
    /// The reason, to follow the file's name in a sentence. May contain text of the file with control
    /// characters.
    package let reason: String
    /// Counted from 1; nil if the error is about the whole file.
    package var line: Int?
    package var column: Int?
}
