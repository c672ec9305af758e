/// Why an answer is not what its format asks for, and where: `results[17].name.last: missing`.
package struct FormatError: Error, Hashable, CustomStringConvertible {
    package var place: String
    package var reason: String

    package init(place: String, reason: String) {
        self.place = place
        self.reason = reason
    }

    package var description: String { place.isEmpty ? reason : "\(place): \(reason)" }
}

/// Where a value stands in its text. Written out only for an error.
package indirect enum JSONPlace: CustomStringConvertible {
    case top
    case member(String, of: JSONPlace)
    case element(Int, of: JSONPlace)

    package var description: String {
        switch self {
        case .top: ""
        case .member(let name, .top): name
        case .member(let name, let parent): "\(parent).\(name)"
        case .element(let index, let parent): "\(parent)[\(index)]"
        }
    }
}

package struct JSONNode {
    package var value: JSONValue
    package var place: JSONPlace
    /// What of it is read; nil for all.
    private let declared: JSONDeclaration?

    /// - Parameter declared: members that it does not name are as good as absent.
    package init(_ value: JSONValue, at place: JSONPlace = .top, reading declared: JSONDeclaration? = nil) {
        self.value = value
        self.place = place
        self.declared = declared
    }

    package func error(_ reason: String) -> FormatError {
        FormatError(place: place.description, reason: reason)
    }

    package func mistyped(_ expected: String) -> FormatError {
        let found =
            switch value.kind {
            case .object: "an object"
            case .array: "a list"
            case .string: "a string"
            case .number: "a number"
            case .bool: "a boolean"
            case .null: "null"
            }
        return error("expected \(expected), found \(found)")
    }

    package func object() throws(FormatError) -> JSONObject {
        guard let members = value.members(upTo: FormatLimits.members + 1) else { throw mistyped("an object") }
        guard members.count <= FormatLimits.members else {
            throw error("more than \(FormatLimits.members) members")
        }
        return JSONObject(members: members, place: place, declared: declared)
    }

    package func list(
        upTo limit: Int = FormatLimits.records, of what: String = "records"
    ) throws(FormatError) -> [JSONNode] {
        guard let elements = value.elements(upTo: limit + 1) else { throw mistyped("a list") }
        guard elements.count <= limit else { throw error("more than \(limit) \(what)") }
        let element = declared.map { $0.elements ?? .nothing }
        return elements.enumerated().map { JSONNode($1, at: .element($0, of: place), reading: element) }
    }

    package func text(upTo limit: Int = FormatLimits.textBytes) throws(FormatError) -> String {
        guard value.kind == .string else { throw mistyped("a string") }
        let text = value.string ?? ""
        guard text.utf8.count <= limit else { throw error("longer than \(limit) bytes") }
        return text
    }

    /// A string, or an integer as its digits.
    package func textOrInteger(upTo limit: Int = FormatLimits.textBytes) throws(FormatError) -> String {
        switch value.kind {
        case .string: return try text(upTo: limit)
        case .number where value.int != nil: return String(decoding: value.raw, as: UTF8.self)
        default: throw mistyped("a string or an integer")
        }
    }
}

/// What an upstream can make grow, beside the body itself, which the transport limits.
package enum FormatLimits {
    /// Of one text, in UTF-8.
    package static let textBytes = 65_536
    package static let records = 100_000
    package static let members = 1000
    package static let pages = 1_000_000
    /// Of objects and lists in one another.
    package static let depth = 32
}

/// The members of an object. One that is null counts as absent.
package struct JSONObject {
    fileprivate let members: [(name: String, value: JSONValue)]
    package let place: JSONPlace
    fileprivate let declared: JSONDeclaration?

    package subscript(_ name: String) -> JSONNode? {
        let member = declared?.member(name)
        if declared != nil, member == nil { return nil }
        guard let value = members.first(where: { $0.name == name })?.value, !value.isNull else { return nil }
        return JSONNode(value, at: .member(name, of: place), reading: member)
    }

    package func required(_ name: String) throws(FormatError) -> JSONNode {
        guard let node = self[name] else {
            let isNull = members.contains { $0.name == name }
            throw FormatError(
                place: JSONPlace.member(name, of: place).description, reason: isNull ? "null" : "missing")
        }
        return node
    }

    package func text(_ name: String) throws(FormatError) -> String? { try self[name]?.text() }

    package func object(_ name: String) throws(FormatError) -> JSONObject? { try self[name]?.object() }
}
