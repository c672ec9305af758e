import Varlink

/// Writes interfaces in one canonical form.
extension Interface {
    /// One definition per line, with its comments above.
    package var rendered: String {
        let definitions =
            types.map { ($0.documentation, "type \($0.name) \($0.type.rendered)") }
            + methods.map {
                ($0.documentation, "method \($0.name)\(render($0.input)) -> \(render($0.output))")
            }
            + errors.map { ($0.documentation, "error \($0.name)\(render($0.fields))") }
        return ([(documentation, "interface \(name)")] + definitions)
            .map { comment($0.0) + $0.1 + "\n" }.joined(separator: "\n")
    }

    private func comment(_ documentation: String) -> String {
        guard !documentation.isEmpty else { return "" }
        return documentation.split(separator: "\n", omittingEmptySubsequences: false)
            .map { $0.isEmpty ? "#\n" : "# \($0)\n" }.joined()
    }
}

package func render(_ fields: [Interface.Field]) -> String {
    "(" + fields.map { "\($0.name): \($0.type.rendered)" }.joined(separator: ", ") + ")"
}

extension Interface.ValueType {
    package var rendered: String {
        switch self {
        case .bool: "bool"
        case .int: "int"
        case .float: "float"
        case .string: "string"
        case .object: "object"
        case .enumeration(let cases): "(" + cases.joined(separator: ", ") + ")"
        case .structure(let fields): render(fields)
        case .reference(let name): name
        case .nullable(let type): "?" + type.rendered
        case .array(let type): "[]" + type.rendered
        case .dictionary(let type): "[string]" + type.rendered
        }
    }
}
