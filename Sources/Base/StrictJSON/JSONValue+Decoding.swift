/// Decodes from validated JSON like Foundation's decoder, whose start alone takes longer than most commands.
extension JSONValue {
    /// Throws a `DecodingError`. Unknown members are ignored.
    package func decode<T: Decodable>(_ type: T.Type = T.self) throws -> T {
        try T(from: ValueDecoder(value: self, path: JSONPlace()))
    }
}

extension JSONValue {
    fileprivate func integer<T: FixedWidthInteger>() -> T? {
        guard kind == .number else { return nil }
        return T(String(decoding: raw, as: UTF8.self)) ?? double.flatMap(T.init(exactly:))
    }
}

extension JSONPlace {
    fileprivate var keys: [any CodingKey] {
        steps.map { step in
            switch step {
            case .member(let name): PlaceKey(stringValue: name)
            case .element(let index): PlaceKey(intValue: index)
            }
        }
    }

    fileprivate func appending(_ step: Step) -> JSONPlace { JSONPlace(steps + [step]) }
}

private struct ValueDecoder: Decoder, SingleValueDecodingContainer {
    let value: JSONValue
    let path: JSONPlace
    var codingPath: [any CodingKey] { path.keys }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        guard let members = value.members else { throw mismatch([String: Any].self) }
        return KeyedDecodingContainer(ObjectContainer<Key>(members: members, path: path))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        guard let elements = value.elements else { throw mismatch([Any].self) }
        return ArrayContainer(elements: elements, path: path)
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

    func decodeNil() -> Bool { value.isNull }
    func decode(_ type: Bool.Type) throws -> Bool { try wanted(value.bool) }
    func decode(_ type: String.Type) throws -> String { try wanted(value.string) }
    func decode(_ type: Double.Type) throws -> Double { try wanted(value.double) }
    func decode(_ type: Float.Type) throws -> Float { try wanted(value.double.map(Float.init)) }
    func decode<T: Decodable & FixedWidthInteger>(_ type: T.Type) throws -> T { try wanted(value.integer()) }
    func decode<T: Decodable>(_ type: T.Type) throws -> T { try T(from: self) }
}

private struct ObjectContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let members: [(name: String, value: JSONValue)]
    let path: JSONPlace

    var codingPath: [any CodingKey] { path.keys }
    var allKeys: [Key] { members.compactMap { Key(stringValue: $0.name) } }

    private func member(_ name: String) -> JSONValue? { members.first { $0.name == name }?.value }

    private func decoder(_ key: any CodingKey) throws -> ValueDecoder {
        guard let value = member(key.stringValue) else {
            throw DecodingError.keyNotFound(key, .init(codingPath: codingPath, debugDescription: "missing"))
        }
        return ValueDecoder(value: value, path: path.appending(.member(key.stringValue)))
    }

    private func scalar<T>(_ key: Key, _ read: (JSONValue) -> T?) throws -> T {
        guard let result = member(key.stringValue).flatMap(read) else {
            throw try decoder(key).mismatch(T.self)
        }
        return result
    }

    /// Nil if the member is absent or null.
    private func present<T>(_ key: Key, _ read: (JSONValue) -> T?) throws -> T? {
        guard let value = member(key.stringValue), !value.isNull else { return nil }
        guard let result = read(value) else { throw try decoder(key).mismatch(T.self) }
        return result
    }

    func contains(_ key: Key) -> Bool { member(key.stringValue) != nil }
    func decodeNil(forKey key: Key) throws -> Bool { try decoder(key).decodeNil() }
    func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool { try scalar(key) { $0.bool } }
    func decode(_ type: String.Type, forKey key: Key) throws -> String { try scalar(key) { $0.string } }
    func decode(_ type: Double.Type, forKey key: Key) throws -> Double { try scalar(key) { $0.double } }
    func decode<T: Decodable & FixedWidthInteger>(_ type: T.Type, forKey key: Key) throws -> T {
        try scalar(key) { $0.integer() }
    }
    func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T { try T(from: decoder(key)) }

    // The default implementations would look up each optional member twice.
    func decodeIfPresent(_ type: Bool.Type, forKey key: Key) throws -> Bool? {
        try present(key) { $0.bool }
    }
    func decodeIfPresent(_ type: String.Type, forKey key: Key) throws -> String? {
        try present(key) { $0.string }
    }
    func decodeIfPresent(_ type: Double.Type, forKey key: Key) throws -> Double? {
        try present(key) { $0.double }
    }
    func decodeIfPresent(_ type: Int.Type, forKey key: Key) throws -> Int? {
        try present(key) { $0.integer() }
    }
    func decodeIfPresent<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T? {
        guard let value = member(key.stringValue), !value.isNull else { return nil }
        return try T(from: ValueDecoder(value: value, path: path.appending(.member(key.stringValue))))
    }

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<NestedKey> {
        try decoder(key).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try decoder(key).unkeyedContainer()
    }

    func superDecoder() throws -> any Decoder { try decoder(PlaceKey(stringValue: "super")) }
    func superDecoder(forKey key: Key) throws -> any Decoder { try decoder(key) }
}

private struct ArrayContainer: UnkeyedDecodingContainer {
    let elements: [JSONValue]
    let path: JSONPlace
    private(set) var currentIndex = 0

    var codingPath: [any CodingKey] { path.keys }
    var count: Int? { elements.count }
    var isAtEnd: Bool { currentIndex == elements.count }

    private func decoder() throws -> ValueDecoder {
        let path = path.appending(.element(currentIndex))
        guard !isAtEnd else {
            throw DecodingError.valueNotFound(
                Any.self, .init(codingPath: path.keys, debugDescription: "the array ends here"))
        }
        return ValueDecoder(value: elements[currentIndex], path: path)
    }

    /// Advances only if `read` succeeds.
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

struct PlaceKey: CodingKey {
    let stringValue: String
    private(set) var intValue: Int?

    init(stringValue: String) { self.stringValue = stringValue }

    init(intValue: Int) {
        stringValue = String(intValue)
        self.intValue = intValue
    }
}
