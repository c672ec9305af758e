import YAML

/// What the values of a setting with structure look like. What is in them, only those who use them know.
struct SettingStructure {
    /// To follow "expected".
    let expected: String

    static let records = Self(
        expected: "an RFC 6901 pointer such as /Resources, or \"\" for the whole answer")
    static func fields(example: String) -> Self {
        Self(expected: "the name of a field and its pointer, or a list of them, such as \(example)")
    }
    static let skip = Self(
        expected: "a pointer and a value, or a list of them, such as {/active: false}; {} leaves out none")
    static let paging = Self(
        expected:
            "a style and what it needs, such as {style: offset, param: start, size: count, total: /total}")

    /// - Parameter text: as `flowText` writes it; empty: none.
    static func read(_ text: String) throws(InvalidValue) -> YAMLNode? {
        do throws(YAMLError) { return try YAMLNode.document(Array(text.utf8)) } catch {
            throw InvalidValue(problem: error.reason.visible)
        }
    }
}

extension YAMLNode {
    /// On one line, as a YAML document that reads the same again.
    var flowText: String {
        switch content {
        case .scalar(let text, _): if isNull { "null" } else { text.flowText }
        case .sequence(let nodes): "[\(nodes.map(\.flowText).joined(separator: ", "))]"
        case .mapping(let members):
            "{\(members.map { "\($0.name.flowText): \($0.value.flowText)" }.joined(separator: ", "))}"
        }
    }
}

extension String {
    fileprivate var flowText: String {
        isPlainAnywhere && !["null", "Null", "NULL"].contains(self) ? self : quoted
    }

    /// Whether it is the same text without quotes wherever a YAML scalar may be.
    fileprivate var isPlainAnywhere: Bool {
        guard let first = utf8.first, first != UInt8(ascii: "-"), first != UInt8(ascii: ".") else {
            return false
        }
        return utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"):
                true
            default: "/_.-$".utf8.contains(byte)
            }
        }
    }
}
