/// A value of a YAML document. Scalars are text, whatever they look like: who reads a value knows its type.
package struct YAMLNode: Sendable, Equatable {
    package enum Content: Sendable, Equatable {
        /// - Parameter isPlain: written without quotes, and not as a block.
        case scalar(String, isPlain: Bool)
        case sequence([YAMLNode])
        /// In the order of the file; no two members have the same name.
        case mapping([YAMLMember])
    }

    package let content: Content
    package let line: Int
    /// In characters, counted from 1.
    package let column: Int

    /// Nothing was written, or what YAML has for it.
    package var isNull: Bool {
        guard case .scalar(let text, isPlain: true) = content else { return false }
        return ["", "~", "null", "Null", "NULL"].contains(text)
    }

    /// Of its members; none where it is no mapping.
    package var names: [String] {
        guard case .mapping(let members) = content else { return [] }
        return members.map(\.name)
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

/// Why a file cannot be read as YAML.
package struct YAMLError: Error, Equatable {
    /// To follow the file's name in a sentence. May show text of the file as it is, control characters included.
    package let reason: String
    /// Counted from 1; nil where the file as a whole is meant.
    package var line: Int?
    package var column: Int?
}
