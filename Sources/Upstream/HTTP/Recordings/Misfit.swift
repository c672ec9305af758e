import StrictJSON

/// The reason why a value is not valid at its place in a HAR.
struct Misfit: Error {
    /// The invalid value, or the object with the invalid member.
    private let value: JSONValue
    private let member: String?
    let reason: String

    init(_ value: JSONValue, _ member: String?, _ reason: String) {
        (self.value, self.member, self.reason) = (value, member, reason)
    }

    /// - Parameter text: the text that contains the value.
    func place(in text: ArraySlice<UInt8>) -> JSONPlace {
        let offset = value.raw.startIndex - text.startIndex
        var place = text.withUnsafeBufferPointer { JSONPlace(of: offset, in: $0) }
        if let member { place.steps.append(.member(member)) }
        return place
    }
}

extension JSONValue {
    func error(_ reason: String) -> Misfit { Misfit(self, nil, reason) }

    func mistyped(_ expected: String) -> Misfit { error("expected \(expected), found \(kind.found)") }

    func object() throws -> JSONValue {
        guard kind == .object else { throw mistyped("an object") }
        return self
    }

    /// A member of an object. One that is null counts as absent.
    func present(_ name: String) -> JSONValue? { self[name].flatMap { $0.isNull ? nil : $0 } }

    func required(_ name: String) throws -> JSONValue {
        guard let value = self[name] else { throw Misfit(self, name, "missing") }
        guard !value.isNull else { throw Misfit(self, name, "null") }
        return value
    }

    /// - Parameter limit: in bytes.
    func text(upTo limit: Int = FormatLimits.textBytes) throws -> String {
        guard let string else { throw mistyped("a string") }
        guard string.utf8.count <= limit else { throw error("longer than \(limit) bytes") }
        return string
    }

    func list(upTo limit: Int, of what: String) throws -> [JSONValue] {
        guard let elements = elements(upTo: limit + 1) else { throw mistyped("a list") }
        guard elements.count <= limit else { throw error("more than \(limit) \(what)") }
        return elements
    }
}
