extension StrictJSON {
    /// Encodes with sorted member names, without nil members and without white space. Throws an `EncodingError` for a
    /// number that JSON cannot represent.
    package static func encode(_ value: some Encodable) throws -> [UInt8] {
        let encoder = ValueEncoder(codingPath: [])
        try value.encode(to: encoder)
        var json: [UInt8] = []
        encoder.write(to: &json)
        return json
    }

    /// Returns an object with these members in this order; their values are JSON.
    package static func object(_ members: [(name: String, value: [UInt8])]) -> [UInt8] {
        var json: [UInt8] = []
        // Two for the braces, one for the NUL that ends a message.
        json.reserveCapacity(members.reduce(3) { $0 + $1.name.utf8.count + $1.value.count + 4 })
        enclose("{", members, "}", in: &json) { member, json in
            appendQuoted(member.name, to: &json)
            json.append(UInt8(ascii: ":"))
            json += member.value
        }
        return json
    }

    /// Returns an array of these values, which are JSON.
    package static func array(_ values: [[UInt8]]) -> [UInt8] {
        var json: [UInt8] = []
        enclose("[", values, "]", in: &json) { $1 += $0 }
        return json
    }

    /// The shortest text that reads back as the same number.
    static func text(of number: Double) -> Substring {
        let text = number.description
        return text.hasSuffix(".0") ? text.dropLast(2) : text[...]
    }

    /// Appends whole parts: a joined sequence, byte by byte, would take most of the time of a reply.
    static func enclose<Part>(
        _ begin: Unicode.Scalar, _ parts: [Part], _ end: Unicode.Scalar, in json: inout [UInt8],
        _ write: (Part, inout [UInt8]) -> Void
    ) {
        json.append(UInt8(ascii: begin))
        for (index, part) in parts.enumerated() {
            if index > 0 { json.append(UInt8(ascii: ",")) }
            write(part, &json)
        }
        json.append(UInt8(ascii: end))
    }
}

/// Encodes one value. A class, because containers keep writing to it.
private final class ValueEncoder: Encoder, SingleValueEncodingContainer {
    private enum Content {
        case nothing
        case single([UInt8])
        case object([(name: String, value: ValueEncoder)])
        case array([ValueEncoder])
    }

    let codingPath: [any CodingKey]
    private var content = Content.nothing
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    init(codingPath: [any CodingKey]) { self.codingPath = codingPath }

    func write(to json: inout [UInt8]) {
        switch content {
        case .nothing: json += "{}".utf8
        case .single(let bytes): json += bytes
        case .object(let members):
            StrictJSON.enclose("{", members.sorted { $0.name < $1.name }, "}", in: &json) { member, json in
                StrictJSON.appendQuoted(member.name, to: &json)
                json.append(UInt8(ascii: ":"))
                member.value.write(to: &json)
            }
        case .array(let elements):
            StrictJSON.enclose("[", elements, "]", in: &json) { $0.write(to: &$1) }
        }
    }

    private func set(_ text: some StringProtocol) { content = .single(Array(text.utf8)) }

    /// The encoder for a member; replaces an earlier value with the same name.
    func member(_ key: any CodingKey) -> ValueEncoder {
        let encoder = ValueEncoder(codingPath: codingPath + [key])
        guard case .object(var members) = content else { return encoder }
        content = .nothing
        members.removeAll { $0.name == key.stringValue }
        members.append((key.stringValue, encoder))
        content = .object(members)
        return encoder
    }

    func element() -> ValueEncoder {
        let encoder = ValueEncoder(codingPath: codingPath)
        guard case .array(var elements) = content else { return encoder }
        content = .nothing
        elements.append(encoder)
        content = .array(elements)
        return encoder
    }

    var count: Int { if case .array(let elements) = content { elements.count } else { 0 } }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        if case .object = content {} else { content = .object([]) }
        return KeyedEncodingContainer(ObjectContainer<Key>(encoder: self))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        if case .array = content {} else { content = .array([]) }
        return ArrayContainer(encoder: self)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer { self }

    func encodeNil() { set("null") }
    func encode(_ value: Bool) { set(value ? "true" : "false") }
    func encode(_ value: String) { content = .single(StrictJSON.quoted(value)) }
    func encode(_ value: Float) throws { try encode(Double(value)) }
    func encode<T: Encodable & FixedWidthInteger>(_ value: T) { set(String(value)) }
    func encode<T: Encodable>(_ value: T) throws { try value.encode(to: self) }

    func encode(_ value: Double) throws {
        guard value.isFinite else {
            throw EncodingError.invalidValue(
                value, .init(codingPath: codingPath, debugDescription: "JSON can't represent this number"))
        }
        set(StrictJSON.text(of: value))
    }
}

private struct ObjectContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let encoder: ValueEncoder
    var codingPath: [any CodingKey] { encoder.codingPath }

    func encodeNil(forKey key: Key) { encoder.member(key).encodeNil() }
    func encode<T: Encodable>(_ value: T, forKey key: Key) throws {
        try value.encode(to: encoder.member(key))
    }

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy keyType: NestedKey.Type, forKey key: Key
    ) -> KeyedEncodingContainer<NestedKey> {
        encoder.member(key).container(keyedBy: keyType)
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        encoder.member(key).unkeyedContainer()
    }

    func superEncoder() -> any Encoder { encoder.member(PlaceKey(stringValue: "super")) }
    func superEncoder(forKey key: Key) -> any Encoder { encoder.member(key) }
}

private struct ArrayContainer: UnkeyedEncodingContainer {
    let encoder: ValueEncoder
    var codingPath: [any CodingKey] { encoder.codingPath }
    var count: Int { encoder.count }

    func encodeNil() { encoder.element().encodeNil() }
    func encode<T: Encodable>(_ value: T) throws { try value.encode(to: encoder.element()) }

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy keyType: NestedKey.Type
    ) -> KeyedEncodingContainer<NestedKey> {
        encoder.element().container(keyedBy: keyType)
    }

    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { encoder.element().unkeyedContainer() }
    func superEncoder() -> any Encoder { encoder.element() }
}
