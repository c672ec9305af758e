import Model
import YAML

extension StringProtocol {
    /// One line. Characters that act on a terminal or end a YAML comment are escaped as in a double-quoted
    /// scalar.
    var visible: String {
        unicodeScalars.map { $0.isUnsafe ? $0.yamlEscape : String($0) }.joined()
    }
}

extension String {
    /// A YAML double-quoted scalar (YAML 1.2.2, section 7.3.1).
    var quoted: String {
        "\"" + replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").visible + "\""
    }

    /// The first 100 characters, quoted, for an error message.
    var excerpt: String {
        count > 100 ? String(prefix(100)).quoted + "…" : quoted
    }

    /// The first 100 characters of a name, for an error message.
    var beginning: String { (count > 100 ? prefix(100) + "…" : self[...]).visible }

    /// A YAML scalar that is valid anywhere.
    fileprivate var flowText: String {
        let isPlain =
            utf8.first.map { !"-.".utf8.contains($0) } ?? false
            && unicodeScalars.allSatisfy {
                $0.isASCII && ($0.properties.isAlphabetic || "0123456789/_.-$".unicodeScalars.contains($0))
            }
        return isPlain && !["null", "Null", "NULL"].contains(self) ? self : quoted
    }
}

extension YAMLNode {
    /// One line of YAML that parses to the same node.
    /// - Parameter other: returns a replacement for a part; nil to keep it.
    func flowText(_ other: (YAMLNode) -> String? = { _ in nil }) -> String {
        if let text = other(self) { return text }
        switch content {
        case .scalar(let text, _): return isNull ? "null" : text.flowText
        case .sequence(let nodes):
            return "[\(nodes.map { $0.flowText(other) }.joined(separator: ", "))]"
        case .mapping(let members):
            let parts = members.map { "\($0.name.flowText): \($0.value.flowText(other))" }
            return "{\(parts.joined(separator: ", "))}"
        }
    }
}

extension Unicode.Scalar {
    fileprivate var yamlEscape: String {
        value > 0xFFFF ? "\\U\(value.hexadecimal)" : "\\u\(value.hexadecimal.suffix(4))"
    }
}
