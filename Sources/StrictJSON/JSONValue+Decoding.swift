/// Reads values of the program from JSON that has been validated, as Foundation's decoder does, whose start alone takes
/// longer than most commands.
extension JSONValue {
    /// Throws a `DecodingError`. Members that the type does not ask for are no error.
    package func decode<T: Decodable>(_ type: T.Type = T.self) throws -> T {
        try T(from: ValueDecoder(value: self, codingPath: []))
    }
}

private struct ValueDecoder: Decoder {
    let value: JSONValue
    let codingPath: [any CodingKey]
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        guard let members = value.members else { throw mismatch([String: Any].self) }
        return KeyedDecodingContainer(ObjectContainer<Key>(members: members, codingPath: codingPath))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        guard let elements = value.elements else { throw mismatch([Any].self) }
        return ArrayContainer(elements: elements, codingPath: codingPath)
    }

    func singleValueContainer() -> any SingleValueDecodingContainer { self }

    func mismatch(_ type: Any.Type) -> DecodingError {
        let context = DecodingError.Context(codingPath: codingPath, debugDescription: "\(value.kind)")
        return value.isNull ? .valueNotFound(type, context) : .typeMismatch(type, context)
    }

    func wanted<T>(_ value: T?) throws -> T {
        guard let value else { throw mismatch(T.self) }
        return value
    }

    func integer<T: FixedWidthInteger>(_ type: T.Type = T.self) throws -> T {
        guard value.kind == .number else { throw mismatch(T.self) }
        return try wanted(
            T(String(decoding: value.raw, as: UTF8.self)) ?? value.double.flatMap(T.init(exactly:)))
    }
}

extension ValueDecoder: SingleValueDecodingContainer {
    func decodeNil() -> Bool { value.isNull }
    func decode(_ type: Bool.Type) throws -> Bool { try wanted(value.bool) }
    func decode(_ type: String.Type) throws -> String { try wanted(value.string) }
    func decode(_ type: Double.Type) throws -> Double { try wanted(value.double) }
    func decode(_ type: Float.Type) throws -> Float { try wanted(value.double.map(Float.init)) }
    func decode(_ type: Int.Type) throws -> Int { try integer() }
    func decode(_ type: Int8.Type) throws -> Int8 { try integer() }
    func decode(_ type: Int16.Type) throws -> Int16 { try integer() }
    func decode(_ type: Int32.Type) throws -> Int32 { try integer() }
    func decode(_ type: Int64.Type) throws -> Int64 { try integer() }
    func decode(_ type: UInt.Type) throws -> UInt { try integer() }
    func decode(_ type: UInt8.Type) throws -> UInt8 { try integer() }
    func decode(_ type: UInt16.Type) throws -> UInt16 { try integer() }
    func decode(_ type: UInt32.Type) throws -> UInt32 { try integer() }
    func decode(_ type: UInt64.Type) throws -> UInt64 { try integer() }
    func decode<T: Decodable>(_ type: T.Type) throws -> T { try T(from: self) }
}

/// What the three containers have in common: a decoder for each of their values.
private struct ObjectContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let members: [(name: String, value: JSONValue)]
    let codingPath: [any CodingKey]

    var allKeys: [Key] { members.compactMap { Key(stringValue: $0.name) } }

    private func member(_ key: any CodingKey) -> JSONValue? {
        let name = key.stringValue
        return members.first { $0.name == name }?.value
    }

    private func decoder(_ key: any CodingKey) throws -> ValueDecoder {
        guard let value = member(key) else {
            throw DecodingError.keyNotFound(key, .init(codingPath: codingPath, debugDescription: "missing"))
        }
        return ValueDecoder(value: value, codingPath: codingPath + [key])
    }

    func contains(_ key: Key) -> Bool { member(key) != nil }
    func decodeNil(forKey key: Key) throws -> Bool { try decoder(key).decodeNil() }
    func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool { try decoder(key).decode(type) }
    func decode(_ type: String.Type, forKey key: Key) throws -> String { try decoder(key).decode(type) }
    func decode(_ type: Double.Type, forKey key: Key) throws -> Double { try decoder(key).decode(type) }
    func decode(_ type: Float.Type, forKey key: Key) throws -> Float { try decoder(key).decode(type) }
    func decode(_ type: Int.Type, forKey key: Key) throws -> Int { try decoder(key).integer() }
    func decode(_ type: Int8.Type, forKey key: Key) throws -> Int8 { try decoder(key).integer() }
    func decode(_ type: Int16.Type, forKey key: Key) throws -> Int16 { try decoder(key).integer() }
    func decode(_ type: Int32.Type, forKey key: Key) throws -> Int32 { try decoder(key).integer() }
    func decode(_ type: Int64.Type, forKey key: Key) throws -> Int64 { try decoder(key).integer() }
    func decode(_ type: UInt.Type, forKey key: Key) throws -> UInt { try decoder(key).integer() }
    func decode(_ type: UInt8.Type, forKey key: Key) throws -> UInt8 { try decoder(key).integer() }
    func decode(_ type: UInt16.Type, forKey key: Key) throws -> UInt16 { try decoder(key).integer() }
    func decode(_ type: UInt32.Type, forKey key: Key) throws -> UInt32 { try decoder(key).integer() }
    func decode(_ type: UInt64.Type, forKey key: Key) throws -> UInt64 { try decoder(key).integer() }
    func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T { try T(from: decoder(key)) }

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<NestedKey> {
        try decoder(key).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try decoder(key).unkeyedContainer()
    }

    func superDecoder() throws -> any Decoder { try decoder(SuperKey()) }
    func superDecoder(forKey key: Key) throws -> any Decoder { try decoder(key) }
}

private struct ArrayContainer: UnkeyedDecodingContainer {
    let elements: [JSONValue]
    let codingPath: [any CodingKey]
    private(set) var currentIndex = 0

    init(elements: [JSONValue], codingPath: [any CodingKey]) {
        self.elements = elements
        self.codingPath = codingPath
    }

    var count: Int? { elements.count }
    var isAtEnd: Bool { currentIndex == elements.count }

    private func decoder() throws -> ValueDecoder {
        let key = PositionKey(position: currentIndex)
        guard !isAtEnd else {
            throw DecodingError.valueNotFound(
                Any.self, .init(codingPath: codingPath + [key], debugDescription: "the array ends here"))
        }
        return ValueDecoder(value: elements[currentIndex], codingPath: codingPath + [key])
    }

    /// The next element, which is passed only if it can be read.
    private mutating func next<T>(_ read: (ValueDecoder) throws -> T) throws -> T {
        let value = try read(decoder())
        currentIndex += 1
        return value
    }

    mutating func decodeNil() throws -> Bool {
        guard try decoder().decodeNil() else { return false }
        currentIndex += 1
        return true
    }

    mutating func decode<T: Decodable>(_ type: T.Type) throws -> T { try next { try T(from: $0) } }

    mutating func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type
    ) throws -> KeyedDecodingContainer<NestedKey> {
        try next { try $0.container(keyedBy: type) }
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        try next { try $0.unkeyedContainer() }
    }

    mutating func superDecoder() throws -> any Decoder { try next { $0 } }
}

private struct PositionKey: CodingKey {
    let position: Int
    var intValue: Int? { position }
    var stringValue: String { String(position) }

    init(position: Int) { self.position = position }
    init?(intValue: Int) { position = intValue }
    init?(stringValue: String) { return nil }
}

private struct SuperKey: CodingKey {
    var intValue: Int? { nil }
    var stringValue: String { "super" }

    init() {}
    init?(intValue: Int) { return nil }
    init?(stringValue: String) { return nil }
}
