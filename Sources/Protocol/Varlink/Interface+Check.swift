import StrictJSON

extension Interface {
    /// Checks `parameters` against `fields`. Returns the name of the first parameter that is undeclared or
    /// has the wrong type, in text order, else of the first missing one; nil if all match.
    ///
    /// An error inside a structure is reported with the name of the whole parameter. For `?T`, `null` and
    /// absent are the same; for other types both are errors.
    ///
    /// - Parameter fields: a method's input or output, or an error's fields.
    package func invalidParameter(in parameters: JSONValue, fields: [Field]) -> String? {
        let members = parameters.members ?? []
        for (name, value) in members {
            guard let field = fields.first(where: { $0.name.isSpelled(as: name) }),
                accepts(value, as: field.type)
            else {
                return name
            }
        }
        return fields.first { field in
            if case .nullable = field.type { return false }
            return !members.contains { $0.name.isSpelled(as: field.name) }
        }?.name
    }

    private func accepts(_ value: JSONValue, as type: ValueType) -> Bool {
        switch type {
        case .bool: value.kind == .bool
        case .int: value.int != nil
        case .float: value.kind == .number
        case .string: value.kind == .string
        case .object: value.kind == .object
        case .enumeration(let cases):
            value.string.map { string in cases.contains { $0.isSpelled(as: string) } } ?? false
        case .structure(let fields):
            value.kind == .object && invalidParameter(in: value, fields: fields) == nil
        case .reference(let name): self.type(name).map { accepts(value, as: $0) } ?? false
        case .nullable(let wrapped): value.isNull || accepts(value, as: wrapped)
        case .array(let element): value.elements?.allSatisfy { accepts($0, as: element) } ?? false
        case .dictionary(let element): value.members?.allSatisfy { accepts($0.value, as: element) } ?? false
        }
    }
}
