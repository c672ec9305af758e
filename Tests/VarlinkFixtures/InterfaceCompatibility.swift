import Varlink

/// The promise to clients: an interface may grow, but nothing is removed or changed.
extension Interface {
    /// Everything that a client of the earlier text may find missing or changed in this one, one line each.
    ///
    /// A type must stay as it is written, even if another accepts the same values. An added parameter must be
    /// nullable, since older clients do not send it.
    package func breaks(since earlier: Interface) -> [String] {
        var broken: [String] = []
        if name != earlier.name { broken.append("interface \(earlier.name)") }
        for type in earlier.types {
            compare(type.type, with: self.type(type.name), "type \(type.name)", &broken)
        }
        for method in earlier.methods {
            let path = "method \(method.name)"
            guard let now = self.method(method.name) else {
                broken.append(path)
                continue
            }
            compare(method.input, with: now.input, path + ", parameter ", &broken)
            compare(method.output, with: now.output, path + ", result ", &broken)
            if now.requiresMore != method.requiresMore { broken.append(path + ", more") }
            requireNullable(now.input, since: method.input, path + ", parameter ", earlier, &broken)
        }
        for error in earlier.errors {
            guard let now = self.error(error.name) else {
                broken.append("error \(error.name)")
                continue
            }
            compare(error.fields, with: now.fields, "error \(error.name), field ", &broken)
        }
        return broken
    }

    private func compare(_ then: ValueType, with now: ValueType?, _ path: String, _ broken: inout [String]) {
        switch (then, now) {
        case (.structure(let then), .structure(let now)):
            compare(then, with: now, path + ", field ", &broken)
        case (.enumeration(let then), .enumeration(let now)):
            broken += then.filter { !now.contains($0) }.map { "\(path), value \($0)" }
        case (.nullable(let then), .nullable(let now)), (.array(let then), .array(let now)),
            (.dictionary(let then), .dictionary(let now)):
            compare(then, with: now, path, &broken)
        default: if then != now { broken.append(path) }
        }
    }

    private func compare(_ then: [Field], with now: [Field], _ path: String, _ broken: inout [String]) {
        for field in then {
            let same = now.first { $0.name == field.name }
            compare(field.type, with: same?.type, path + field.name, &broken)
        }
    }

    /// - Parameter then: the fields that older clients may send.
    private func requireNullable(
        _ fields: [Field], since then: [Field], _ path: String, _ earlier: Interface, _ broken: inout [String]
    ) {
        for field in fields {
            guard let known = then.first(where: { $0.name == field.name }) else {
                if case .nullable = field.type { continue }
                broken.append(path + field.name + ", required")
                continue
            }
            if let inner = self.fields(in: field.type), let known = earlier.fields(in: known.type) {
                requireNullable(inner, since: known, "\(path)\(field.name), field ", earlier, &broken)
            }
        }
    }

    /// The fields of the structure that a type is or holds.
    private func fields(in type: ValueType) -> [Field]? {
        switch type {
        case .structure(let fields): fields
        case .reference(let name): self.type(name).flatMap(fields)
        case .nullable(let inner), .array(let inner), .dictionary(let inner): fields(in: inner)
        case .bool, .int, .float, .string, .object, .enumeration: nil
        }
    }
}
