import Foundation
import StrictJSON
import Testing

/// Reads and writes each of its parts through a container that the compiler's own conformances don't use.
private struct ByHand: Codable, Hashable {
    var double = 1.5
    var float = Float(-0.25)
    var isFlagged = true
    var absent: Int?
    var rows = [[1, 2], []]
    var names = ["first", nil, "third"]
    var byName = ["a": "b"]
    var base = "inherited"
    var other = "also inherited"
    var last = "the last element"

    enum Key: String, CodingKey { case double, float, isFlagged, absent, list, other, unknown }
    enum NameKey: String, CodingKey { case a }

    init() {}

    init(from decoder: any Decoder) throws {
        #expect(decoder.userInfo.isEmpty)
        let object = try decoder.container(keyedBy: Key.self)
        double = try object.decode(Double.self, forKey: .double)
        float = try object.decode(Float.self, forKey: .float)
        isFlagged = try object.superDecoder(forKey: .isFlagged).singleValueContainer().decode(Bool.self)
        #expect(object.contains(.absent) && !object.contains(.unknown))
        absent = try object.decodeNil(forKey: .absent) ? nil : object.decode(Int.self, forKey: .absent)
        base = try object.superDecoder().singleValueContainer().decode(String.self)
        other = try object.superDecoder(forKey: .other).singleValueContainer().decode(String.self)

        var list = try object.nestedUnkeyedContainer(forKey: .list)
        #expect(list.count == 5 && list.codingPath.map(\.stringValue) == ["list"])
        var rows = try list.nestedUnkeyedContainer()
        self.rows = []
        while !rows.isAtEnd { self.rows.append(try rows.decode([Int].self)) }
        var names = try list.nestedUnkeyedContainer()
        self.names = []
        while !names.isAtEnd { self.names.append(try names.decodeNil() ? nil : names.decode(String.self)) }
        byName = ["a": try list.nestedContainer(keyedBy: NameKey.self).decode(String.self, forKey: .a)]
        #expect(try list.decode(Float.self) == 0.5)
        last = try list.superDecoder().singleValueContainer().decode(String.self)
        #expect(list.isAtEnd)
    }

    func encode(to encoder: any Encoder) throws {
        #expect(encoder.userInfo.isEmpty)
        var object = encoder.container(keyedBy: Key.self)
        #expect(object.codingPath.isEmpty)
        try object.encode(double, forKey: .double)
        try object.encode(float, forKey: .float)
        var flag = object.superEncoder(forKey: .isFlagged).singleValueContainer()
        try flag.encode(isFlagged)
        try object.encodeNil(forKey: .absent)
        try base.encode(to: object.superEncoder())
        try other.encode(to: object.superEncoder(forKey: .other))

        var list = object.nestedUnkeyedContainer(forKey: .list)
        #expect(list.count == 0 && list.codingPath.map(\.stringValue) == ["list"])
        var rows = list.nestedUnkeyedContainer()
        for row in self.rows { try rows.encode(row) }
        var names = list.nestedUnkeyedContainer()
        for name in self.names {
            if let name { try names.encode(name) } else { try names.encodeNil() }
        }
        #expect(names.count == 3)
        var byName = list.nestedContainer(keyedBy: NameKey.self)
        try byName.encode(self.byName["a"], forKey: .a)
        try list.encode(Float(0.5))
        try last.encode(to: list.superEncoder())
        #expect(list.count == 5)
    }
}

@Suite struct ContainerTests {
    @Test("A hand-written Codable type is encoded as by Foundation, and decoded from either encoding")
    func byHand() throws {
        let ours = try StrictJSON.encode(ByHand())
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        let theirs = try encoder.encode(ByHand())
        #expect(String(decoding: ours, as: UTF8.self) == String(decoding: theirs, as: UTF8.self))
        #expect(try JSONValue(validating: Array(theirs), maximumDepth: 8).decode(ByHand.self) == ByHand())
        #expect(try JSONDecoder().decode(ByHand.self, from: Data(ours)) == ByHand())
    }

    /// Reads one element more than the array has.
    private struct OneTooMany: Decodable {
        init(from decoder: any Decoder) throws {
            var array = try decoder.unkeyedContainer()
            while !array.isAtEnd { _ = try array.decode(Bool.self) }
            _ = try array.decode(Bool.self)
        }
    }

    @Test("Reading after the end of an array is an error that names the place")
    func end() throws {
        let value = try JSONValue(validating: Array(#"{"flags":[true,false]}"#.utf8), maximumDepth: 4)
        let error = #expect(throws: DecodingError.self) { try value.decode([String: OneTooMany].self) }
        guard case .valueNotFound(_, let context) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(context.codingPath.map(\.stringValue) == ["flags", "2"])
        #expect(context.debugDescription == "the array ends here")
    }

    @Test(
        "A number, a string or a list is not a flag, and only the first is a number",
        arguments: ["1", #""true""#, "[]", "null"])
    func otherKinds(text: String) throws {
        let value = try JSONValue(validating: Array("[\(text)]".utf8), maximumDepth: 4)
        #expect(throws: DecodingError.self) { try value.decode([Bool].self) }
        if text != "1" { #expect(throws: DecodingError.self) { try value.decode([Float].self) } }
    }
}
