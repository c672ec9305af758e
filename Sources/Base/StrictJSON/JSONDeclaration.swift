/// The part of a JSON value that a format reads. What it does not name is neither decoded nor recorded.
package final class JSONDeclaration: Sendable {
    private let isScalar: Bool
    private let read: (@Sendable (String) -> String)?
    private let members: [(name: String, value: JSONDeclaration)]
    private let ignoresCase: Bool
    let elements: JSONDeclaration?
    let shape: JSONShape

    private init(
        isScalar: Bool = false, read: (@Sendable (String) -> String)? = nil,
        members: [(name: String, value: JSONDeclaration)] = [], ignoresCase: Bool = false,
        elements: JSONDeclaration? = nil
    ) {
        self.isScalar = isScalar
        self.read = read
        self.members = members
        self.ignoresCase = ignoresCase
        self.elements = elements
        shape = JSONShape(members: members, elements: elements)
    }

    static let nothing = JSONDeclaration()

    /// A string, a number or a boolean.
    package static let scalar = JSONDeclaration(isScalar: true)

    /// A string of which only a part is read.
    package static func text(_ read: @escaping @Sendable (String) -> String) -> JSONDeclaration {
        JSONDeclaration(isScalar: true, read: read)
    }

    package static func object(_ members: KeyValuePairs<String, JSONDeclaration>) -> JSONDeclaration {
        JSONDeclaration(members: members.map { ($0.key, $0.value) })
    }

    /// - Parameter ignoringCase: of the members' names.
    package static func object(
        _ members: [(name: String, value: JSONDeclaration)], ignoringCase: Bool
    ) -> JSONDeclaration {
        JSONDeclaration(members: members, ignoresCase: ignoringCase)
    }

    package static func list(of elements: JSONDeclaration) -> JSONDeclaration {
        JSONDeclaration(elements: elements)
    }

    /// For a value of which upstreams send one kind or another, or of which more is read.
    package func or(_ other: JSONDeclaration) -> JSONDeclaration {
        var merged = members
        for member in other.members {
            if let known = merged.firstIndex(where: { $0.name == member.name }) {
                merged[known].value = merged[known].value.or(member.value)
            } else {
                merged.append(member)
            }
        }
        let both = elements.flatMap { mine in other.elements.map { mine.or($0) } }
        return JSONDeclaration(
            isScalar: isScalar || other.isScalar, read: read ?? other.read, members: merged,
            ignoresCase: ignoresCase || other.ignoresCase, elements: both ?? elements ?? other.elements)
    }

    /// With its members in the order of their names, in which records mostly have them.
    var sorted: JSONDeclaration {
        let members = members.map { (name: $0.name, value: $0.value.sorted) }.sorted { $0.name < $1.name }
        return JSONDeclaration(
            isScalar: isScalar, read: read, members: members, ignoresCase: ignoresCase, elements: elements)
    }

    func member(_ name: String) -> JSONDeclaration? {
        members.first { $0.name == name }?.value
            ?? (ignoresCase ? members.first { $0.name.lowercased() == name.lowercased() }?.value : nil)
    }

    /// The value with nothing in it that is not declared, as JSON without white space. A value of a kind that is not declared
    /// is null.
    package func kept(of value: JSONValue) -> [UInt8] {
        var json: [UInt8] = []
        write(value, to: &json)
        return json
    }

    private func write(_ value: JSONValue, to json: inout [UInt8]) {
        switch value.kind {
        case .string where isScalar:
            let text = value.string ?? ""
            json += StrictJSON.quoted(read?(text) ?? text)
        case .number where isScalar, .bool where isScalar:
            json += value.raw
        case .object where !members.isEmpty:
            let kept = (value.members ?? []).compactMap { member in
                self.member(member.name).map { (name: member.name, value: member.value, declared: $0) }
            }
            StrictJSON.enclose("{", kept, "}", in: &json) { member, json in
                json += StrictJSON.quoted(member.name)
                json.append(UInt8(ascii: ":"))
                member.declared.write(member.value, to: &json)
            }
        case .array:
            guard let elements else { fallthrough }
            // One more than is read, so that a replay finds too many as well.
            let kept = value.elements(upTo: FormatLimits.records + 1) ?? []
            StrictJSON.enclose("[", kept, "]", in: &json) { elements.write($0, to: &$1) }
        default:
            json += "null".utf8
        }
    }
}
