import Foundation
import StrictJSON
import Testing

private struct Inner: Codable, Hashable {
    var text: String
    var numbers: [Double]
    var missing: Int?
}

private struct Outer: Codable, Hashable {
    var flag: Bool
    var small: Int8
    var large: UInt64
    var inner: Inner
    var inners: [Inner?]
    var byName: [String: [Int]]
    var kind: Kind

    enum Kind: String, Codable { case one, other }

    enum CodingKeys: String, CodingKey {
        case flag, small, large, inner, inners
        case byName = "by_name"
        case kind
    }
}

/// Compares the coders with Foundation's.
@Suite struct CodingTests {
    private static let outer = Outer(
        flag: true, small: -128, large: .max,
        inner: Inner(
            text: "a/b \"q\" \\ \u{1F}\n\u{7F} ä 🐈 \u{2028}", numbers: [0, -13, 1.5, 1e300, 5e-300]),
        inners: [nil, Inner(text: "", numbers: [], missing: 7)], byName: ["z": [1], "a": [], "ä b": [2, 3]],
        kind: .other)

    private func decoded<T: Decodable>(_ type: T.Type, _ text: String) throws -> T {
        try JSONValue(validating: Array(text.utf8), maximumDepth: 16).decode(type)
    }

    @Test("Foundation's decoder reads what StrictJSON writes, and the other way round")
    func bothWays() throws {
        let ours = try StrictJSON.encode(Self.outer)
        #expect(try JSONDecoder().decode(Outer.self, from: Data(ours)) == Self.outer)
        let theirs = try JSONEncoder().encode(Self.outer)
        let value = try JSONValue(validating: Array(theirs), maximumDepth: 16)
        #expect(try value.decode(Outer.self) == Self.outer)
        #expect(
            try JSONValue(validating: ours, maximumDepth: 16).decode([String: Either].self).keys.sorted()
                == ["by_name", "flag", "inner", "inners", "kind", "large", "small"])
    }

    /// Takes any value.
    private struct Either: Decodable {
        init(from decoder: any Decoder) {}
    }

    @Test("Encoded members are in the order of their names, and nil is left out")
    func order() throws {
        let inner = Inner(text: "t", numbers: [7200, 0.5], missing: nil)
        #expect(
            String(decoding: try StrictJSON.encode(inner), as: UTF8.self)
                == #"{"numbers":[7200,0.5],"text":"t"}"#)
        #expect(String(decoding: try StrictJSON.encode(["k": Int?.none]), as: UTF8.self) == #"{"k":null}"#)
        #expect(throws: EncodingError.self) { try StrictJSON.encode([Double.infinity]) }
    }

    @Test(
        "Decoding errors have the same path as those of Foundation's decoder",
        arguments: [
            "{}", #"{"text":null,"numbers":[]}"#, #"{"text":1,"numbers":[]}"#, #"{"text":"","numbers":{}}"#,
            #"{"text":"","numbers":[1,"2"]}"#, #"{"text":"","numbers":[null]}"#,
            #"{"text":"","numbers":[],"missing":"1"}"#, "[]",
            "null",
        ])
    func errors(text: String) throws {
        func path(_ body: () throws -> Inner) -> [String]? {
            do {
                _ = try body()
                return nil
            } catch let DecodingError.keyNotFound(key, context) {
                return ["missing"] + context.codingPath.map(\.stringValue) + [key.stringValue]
            } catch let DecodingError.valueNotFound(_, context) {
                return ["null"] + context.codingPath.map { $0.intValue.map(String.init) ?? $0.stringValue }
            } catch let DecodingError.typeMismatch(_, context), let DecodingError.dataCorrupted(context) {
                return ["type"] + context.codingPath.map { $0.intValue.map(String.init) ?? $0.stringValue }
            } catch {
                return ["\(error)"]
            }
        }
        let ours = path { try decoded(Inner.self, text) }
        #expect(ours != nil)
        #expect(ours == path { try JSONDecoder().decode(Inner.self, from: Data(text.utf8)) })
    }

    @Test("A whole number may have a fraction of zero, as with Foundation's decoder")
    func wholeNumbers() throws {
        #expect(try decoded([Int].self, "[1.0,1e3,-0]") == [1, 1000, 0])
        for text in ["[1.5]", "[1e40]", "[256]"] {
            #expect(throws: DecodingError.self) { try decoded([UInt8].self, text) }
        }
        #expect(throws: DecodingError.self) { try decoded(Outer.Kind.self, #""none""#) }
    }
}
