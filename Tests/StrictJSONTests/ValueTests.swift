import StrictJSON
import Testing

@Suite struct ValueTests {
    private func value(_ text: String) throws -> JSONValue {
        try JSONValue(validating: Array(text.utf8), maximumDepth: 8)
    }

    @Test("Members keep their order, their names without escapes and their values' own text")
    func members() throws {
        let members = try #require(
            try value(#" { "b" : [1, {"x":"]}"}] , "\u0061\"" :"v" , "n":-1.5e3,"t":true,"e":{} } "#).members)
        #expect(members.map(\.name) == ["b", "a\"", "n", "t", "e"])
        #expect(
            members.map { String(decoding: $0.value.raw, as: UTF8.self) }
                == [#"[1, {"x":"]}"}]"#, #""v""#, "-1.5e3", "true", "{}"])
    }

    @Test("Elements are found in nested and empty arrays")
    func elements() throws {
        let elements = try #require(try value(#"[1,"a,]",[2,[3]],{"a":[4]} , null,[ ]]"#).elements)
        #expect(
            elements.map { String(decoding: $0.raw, as: UTF8.self) }
                == ["1", #""a,]""#, "[2,[3]]", #"{"a":[4]}"#, "null", "[ ]"])
        #expect(try value("[ ]").elements?.isEmpty == true)
        #expect(elements[2].elements?[1].elements?[0].int == 3)
    }

    @Test(
        "Reading stays within a trusted text even if it is not JSON",
        arguments: ["", "{", "[", "[}", "{]", "{\"a\"", "{\"a\":", "[1,{\"", "}", "[[", "\"", "{}}", "nul"])
    func trusted(text: String) {
        let value = JSONValue(trusting: Array(text.utf8))
        #expect((value.members ?? []).count <= 1)
        #expect((value.elements ?? []).count <= 2)
    }

    @Test("A value at the top is found between white space")
    func top() throws {
        #expect(try value(" 12 ").int == 12)
        #expect(try value("\n\"a b\"\n").string == "a b")
    }

    @Test("A slice of a byte array is read within its own bounds")
    func slices() throws {
        let bytes = Array(#"xx{"a":{"b":7}}yy"#.utf8)
        let value = try JSONValue(validating: bytes[2..<15], maximumDepth: 4)
        #expect(value["a"]?["b"]?.int == 7)
        #expect(value["b"] == nil)
    }

    @Test(
        "Members after long lists and objects are found, also in a part of a longer text", arguments: [0, 7])
    func long(shift: Int) throws {
        let long = "[" + Array(repeating: #"{"b":"]}","c":[0]}"#, count: 1000).joined(separator: ",") + "]"
        let text = #"{"p":{"x":\#(long),"y":{"z":\#(long)},"b":1},"b":2}"#
        let bytes = Array((String(repeating: " ", count: shift) + text + "}").utf8)
        let value = try JSONValue(validating: bytes[shift..<bytes.count - 1], maximumDepth: 8)
        #expect(value.members?.map(\.name) == ["p", "b"])
        #expect(value["b"]?.int == 2)
        let inner = try #require(value["p"])
        #expect(inner.members?.map(\.name) == ["x", "y", "b"])
        #expect(inner["b"]?.int == 1)
        for list in [inner["x"], inner["y"]?["z"]] {
            #expect(list.map { Array($0.raw) } == Array(long.utf8))
            #expect(list?.elements?.count == 1000)
            #expect(list?.elements?.last?["c"]?.elements?.first?.int == 0)
        }
    }

    @Test(
        "The kind of a value is recognized from its text",
        arguments: [
            ("{}", JSONValue.Kind.object), ("[]", .array), ("\"\"", .string), ("0", .number), ("-1", .number),
            ("true", .bool), ("false", .bool), ("null", .null),
        ])
    func kinds(text: String, kind: JSONValue.Kind) throws {
        #expect(try value(text).kind == kind)
        #expect(try value(text).isNull == (kind == .null))
    }

    @Test("A value of another kind is nil, not converted")
    func otherKinds() throws {
        let string = try value("\"1\"")
        #expect(string.members == nil && string.elements == nil && string.bool == nil)
        #expect(string.int == nil && string.double == nil)
        #expect(try value("1").string == nil)
        #expect(try value("1").bool == nil)
    }

    @Test("An integer has no fraction and fits 64 bits")
    func integers() throws {
        #expect(try value("9223372036854775807").int == .max)
        #expect(try value("-9223372036854775808").int == .min)
        #expect(try value("-0").int == 0)
        #expect(try value("9223372036854775808").int == nil)
        #expect(try value("1.0").int == nil)
        #expect(try value("1e2").int == nil)
        #expect(try value("1.5").double == 1.5)
        #expect(try value("7").double == 7)
        #expect(try value("true").bool == true)
        #expect(try value("false").bool == false)
    }

    @Test("Every escape is read, surrogate pairs as one scalar")
    func escapes() throws {
        #expect(
            try value(#""\"\\\/\b\f\n\r\t\u0000\u00E9\ud83d\uDE00é""#).string == "\"\\/\u{8}\u{c}\n\r\t\0é😀é")
    }

    @Test("A quoted string reads back unchanged and contains no control characters")
    func quoting() throws {
        let text =
            String(String.UnicodeScalarView((0...0x2FF).compactMap(Unicode.Scalar.init))) + "\u{2028}😀\""
        let quoted = StrictJSON.quoted(text)
        #expect(try JSONValue(validating: quoted, maximumDepth: 1).string == text)
        #expect(!quoted.contains { $0 < 0x20 })
        #expect(StrictJSON.quoted("a\"\\\n\u{1}\u{1f}é") == Array(#""a\"\\\n\u0001\u001fé""#.utf8))
    }
}
