import StrictJSON
import Testing

@Suite("Lenient JSON of an upstream")
struct LenientTests {
    private func value(_ bytes: [UInt8]) throws -> JSONValue { try JSONValue(upstream: bytes) }

    @Test(
        "Upstream's JSON may have unpaired surrogates, which are read as U+FFFD",
        arguments: [
            (#""a\ud83d""#, "a\u{FFFD}"), (#""\ude00b""#, "\u{FFFD}b"),
            (#""\ud83d\ud83d\ude00""#, "\u{FFFD}😀"),
            (#""\ud83dx\n""#, "\u{FFFD}x\n"), (#""\ud83d\u0041""#, "\u{FFFD}A"),
        ])
    func surrogates(json: String, text: String) throws {
        #expect(try value(Array(json.utf8)).string == text)
        #expect(throws: JSONSyntaxError.self) {
            try StrictJSON.validate(Array(json.utf8), maximumDepth: 1)
        }
    }

    @Test("Upstream's JSON may have a byte order mark, and invalid UTF-8, which is read as U+FFFD")
    func bytes() throws {
        let bytes = [0xEF, 0xBB, 0xBF] + Array(#" {"a":"M"#.utf8) + [0xFC] + Array(#"ller","b":1}"#.utf8)
        let found = try value(bytes)
        #expect(found["a"]?.string == "M\u{FFFD}ller")
        #expect(found["b"]?.int == 1)
        for strict in [bytes, Array(bytes.dropFirst(3))] {
            #expect(throws: JSONSyntaxError.self) { try JSONValue(validating: strict, maximumDepth: 8) }
        }
    }

    @Test("Upstream's JSON may have members with equal names, of which the last counts")
    func members() throws {
        #expect(try value(Array(#"{"a":1,"\u0061":2,"b":{"c":3},"b":{}}"#.utf8))["a"]?.int == 2)
    }

    @Test(
        "Invalid JSON of an upstream is an error that names the place",
        arguments: [
            (#"{"a":[{"b":1},{"b":2,}]}"#, "/a/1", "line 1, column 21: trailing comma before }"),
            (#"{"list":[{"x/y":"\q"}]}"#, "/list/0/x~1y", "line 1, column 18: unknown escape sequence"),
            ("[1,\n{\"a\":[tru]}]", "/1/a/0", "line 2, column 7: expected true, false or null"),
            (#"{"a":{"b":"c"#, "/a/b", "line 1, column 11: unterminated string"),
            ("", "", "line 1, column 1: no value"), ("x", "", "line 1, column 1: expected a value, found x"),
        ])
    func places(json: String, place: String, message: String) throws {
        let error = #expect(throws: JSONSyntaxError.self) { try value(Array(json.utf8)) }
        #expect(error?.place.pointer == place)
        #expect(error?.description == message)
    }
}
