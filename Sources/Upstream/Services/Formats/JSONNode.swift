import StrictJSON

/// Why an answer is not what its format asks for, and where: `results[17].name.last: missing`.
struct FormatError: Error, Hashable, CustomStringConvertible {
    var place: String
    var reason: String

    var description: String { place.isEmpty ? reason : "\(place): \(reason)" }
}

/// Where a value stands in its text. Written out only for an error.
indirect enum JSONPlace: CustomStringConvertible {
    case top
    case member(String, of: JSONPlace)
    case element(Int, of: JSONPlace)

    var description: String {
        switch self {
        case .top: ""
        case .member(let name, .top): name
        case .member(let name, let parent): "\(parent).\(name)"
        case .element(let index, let parent): "\(parent)[\(index)]"
        }
    }
}

/// A value that knows where it stands.
struct JSONNode {
    var value: JSONValue
    var place: JSONPlace

    init(_ value: JSONValue, at place: JSONPlace = .top) {
        self.value = value
        self.place = place
    }

    func error(_ reason: String) -> FormatError { FormatError(place: place.description, reason: reason) }

    func mistyped(_ expected: String) -> FormatError {
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

    func object() throws(FormatError) -> JSONObject {
        guard let members = value.members(upTo: FormatLimits.members + 1) else { throw mistyped("an object") }
        guard members.count <= FormatLimits.members else {
            throw error("more than \(FormatLimits.members) members")
        }
        return JSONObject(members: members, place: place)
    }

    func list(
        upTo limit: Int = FormatLimits.records, of what: String = "records"
    ) throws(FormatError) -> [JSONNode] {
        guard let elements = value.elements(upTo: limit + 1) else { throw mistyped("a list") }
        guard elements.count <= limit else { throw error("more than \(limit) \(what)") }
        return elements.enumerated().map { JSONNode($1, at: .element($0, of: place)) }
    }

    func text(upTo limit: Int = FormatLimits.textBytes) throws(FormatError) -> String {
        guard value.kind == .string else { throw mistyped("a string") }
        let text = value.string ?? ""
        guard text.utf8.count <= limit else { throw error("longer than \(limit) bytes") }
        return text
    }

    /// A string, or an integer as its digits.
    func textOrInteger(upTo limit: Int = FormatLimits.textBytes) throws(FormatError) -> String {
        switch value.kind {
        case .string: return try text(upTo: limit)
        case .number where value.int != nil: return String(decoding: value.raw, as: UTF8.self)
        default: throw mistyped("a string or an integer")
        }
    }
}

/// What an upstream can make grow, beside the body itself, which the transport limits.
enum FormatLimits {
    /// Of one text, in UTF-8.
    static let textBytes = 65_536
    /// In one page.
    static let records = 100_000
    /// In one object.
    static let members = 1000
    /// In one listing.
    static let pages = 1_000_000
    /// Of objects and lists in one another.
    static let depth = 32
}

/// The members of an object. One that is null counts as absent.
struct JSONObject {
    private let members: [(name: String, value: JSONValue)]
    let place: JSONPlace

    init(members: [(name: String, value: JSONValue)], place: JSONPlace) {
        self.members = members
        self.place = place
    }

    subscript(_ name: String) -> JSONNode? {
        guard let value = members.first(where: { $0.name == name })?.value, !value.isNull else { return nil }
        return JSONNode(value, at: .member(name, of: place))
    }

    func required(_ name: String) throws(FormatError) -> JSONNode {
        guard let node = self[name] else {
            let isNull = members.contains { $0.name == name }
            throw FormatError(
                place: JSONPlace.member(name, of: place).description, reason: isNull ? "null" : "missing")
        }
        return node
    }

    func text(_ name: String) throws(FormatError) -> String? { try self[name]?.text() }

    func object(_ name: String) throws(FormatError) -> JSONObject? { try self[name]?.object() }
}
