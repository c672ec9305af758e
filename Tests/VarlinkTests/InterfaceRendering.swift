import Varlink

/// An interface as text again, one definition a line, so that tests can say what they expect.
extension Interface {
    var rendered: [String] {
        types.map { "\($0.documentation)|type \($0.name) \($0.type.rendered)" }
            + methods.map {
                "\($0.documentation)|method \($0.name)\(render($0.input)) -> \(render($0.output))"
            }
            + errors.map { "\($0.documentation)|error \($0.name)\(render($0.fields))" }
    }
}

func render(_ fields: [Interface.Field]) -> String {
    "(" + fields.map { "\($0.name): \($0.type.rendered)" }.joined(separator: ", ") + ")"
}

extension Interface.ValueType {
    var rendered: String {
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
