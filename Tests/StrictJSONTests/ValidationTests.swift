import StrictJSON
import Testing

@Suite struct ValidationTests {
    @Test(
        "JSON by the grammar of RFC 8259 is accepted",
        arguments: [
            "null", "true", "false", "0", "-0", "-0.0", "10", "1.5e+3", "1E-2", "1e308", "1e-400", #""""#,
            "[]", "{}",
            " \t\r\n[ ] \n", #"{ "a" : [ 1 , 2 ] , "b" : { } }"#, #"{"":0}"#, #"["\"\\\/\b\f\n\r\t"]"#,
            #""\u0000\uD834\udd1e\uFFFF""#, "\"\u{7f}\u{80}\u{7ff}\u{800}\u{ffff}\u{10000}\u{10ffff}\"",
            #"{"a":{"a":{"a":1}},"b":[{"a":1},{"a":2}]}"#, #"{"a":1,"A":2,"a ":3}"#, "[[[]],[{}]]",
            "9223372036854775808",
        ])
    func accepted(text: String) throws {
        try StrictJSON.validate(Array(text.utf8), maximumDepth: 8)
    }

    @Test(
        "Invalid JSON is refused with the place and the reason",
        arguments: [
            ("", "1:1 no value"),
            (" \n ", "2:2 no value"),
            ("[", "1:2 the text ends inside an array"),
            (#"{"a":1"#, "1:7 the text ends inside an object"),
            ("1 2", "1:3 2 after the end of the value"),
            ("[]]", "1:3 ] after the end of the value"),
            ("]", "1:1 expected a value, found ]"),
            ("[,1]", "1:2 expected a value, found ,"),
            ("[1,]", "1:3 trailing comma before ]"),
            ("{\n  \"a\": 1,\n}", "2:9 trailing comma before }"),
            ("[1,,2]", "1:4 expected a value, found ,"),
            ("[1 2]", "1:4 expected a comma or the end of the array, found 2"),
            ("[1}", "1:3 expected a comma or the end of the array, found }"),
            (#"{"a":1]"#, "1:7 expected a comma or the end of the object, found ]"),
            (#"{"a" 1}"#, "1:6 expected a colon, found 1"),
            (#"{"a"}"#, "1:5 expected a colon, found }"),
            (#"{"a":}"#, "1:6 expected a value, found }"),
            ("{a:1}", "1:2 expected a quoted name, found a"),
            ("{1:1}", "1:2 expected a quoted name, found 1"),
            ("'a'", "1:1 expected a value, found '"),
            ("NaN", "1:1 expected a value, found N"),
            ("nul", "1:1 expected true, false or null"),
            ("truth", "1:1 expected true, false or null"),
            ("True", "1:1 expected a value, found T"),
            ("/**/1", "1:1 expected a value, found /"),
            ("\u{c}1", "1:1 expected a value, found a byte 0xC"),
            ("1\u{a0}", "1:2 a byte 0xC2 after the end of the value"),
            ("[1]\0", "1:4 a byte 0x0 after the end of the value"),
            ("\u{feff}[]", "1:1 byte order mark"),
        ])
    func refused(text: String, expected: String) throws {
        expect(Array(text.utf8), isRefusedWith: expected)
    }

    @Test("The members of an object are limited, not counting those of other objects")
    func members() throws {
        func object(_ count: Int) -> String {
            "{" + (0..<count).map { "\"\($0)\":0" }.joined(separator: ",") + "}"
        }
        let most = object(StrictJSON.maximumMembers)
        try StrictJSON.validate(Array("[\(most),{\"a\":\(most)}]".utf8), maximumDepth: 8)
        let error = #expect(throws: JSONSyntaxError.self) {
            try StrictJSON.validate(Array(object(StrictJSON.maximumMembers + 1).utf8), maximumDepth: 8)
        }
        #expect(error?.reason == "an object with more than 10000 members")
    }

    @Test(
        "Numbers follow the grammar and fit a double",
        arguments: [
            ("01", "1:1 a number with a leading zero"),
            ("-01", "1:1 a number with a leading zero"),
            ("-", "1:1 a number without digits"),
            ("+1", "1:1 expected a value, found +"),
            (".5", "1:1 expected a value, found ."),
            ("1.", "1:1 a fraction without digits"),
            ("1.e1", "1:1 a fraction without digits"),
            ("1e", "1:1 an exponent without digits"),
            ("1e+", "1:1 an exponent without digits"),
            ("0x1", "1:2 x after the end of the value"),
            ("1e400", "1:1 a number too large for a double"),
            ("[-1E+309]", "1:2 a number too large for a double"),
            ("1" + String(repeating: "0", count: 309), "1:1 a number too large for a double"),
        ])
    func numbers(text: String, expected: String) throws {
        expect(Array(text.utf8), isRefusedWith: expected)
    }

    @Test("A number of 309 digits that a double holds is accepted")
    func longNumber() throws {
        try StrictJSON.validate(Array(("1" + String(repeating: "0", count: 308)).utf8), maximumDepth: 1)
    }

    @Test(
        "Strings with control characters, unknown escapes or unpaired surrogates are refused",
        arguments: [
            (#"""#, "1:1 unterminated string"),
            (#""a\""#, "1:1 unterminated string"),
            (#""\"#, "1:2 unknown escape sequence"),
            ("\"a\nb\"", "1:3 a byte 0xA in a string must be escaped"),
            ("\"\0\"", "1:2 a byte 0x0 in a string must be escaped"),
            (#""\x41""#, "1:2 unknown escape sequence"),
            (#""\'""#, "1:2 unknown escape sequence"),
            (#""\u12""#, #"1:2 \u without four hex digits"#),
            (#""\u123g""#, #"1:2 \u without four hex digits"#),
            (#""é\uD800""#, "1:3 unpaired surrogate"),
            (#""\uDC00""#, "1:2 unpaired surrogate"),
            (#""\uD800\n""#, "1:2 unpaired surrogate"),
            (#""\uD800\uD800""#, "1:2 unpaired surrogate"),
            (#""\uD800\u00""#, #"1:8 \u without four hex digits"#),
        ])
    func strings(text: String, expected: String) throws {
        expect(Array(text.utf8), isRefusedWith: expected)
    }

    @Test(
        "Bytes that are not UTF-8 are refused",
        arguments: [
            [0x80], [0xC0, 0x80], [0xC1, 0xBF], [0xC3], [0xC3, 0x28], [0xE0, 0x80, 0x80], [0xE2, 0x82],
            [0xE2, 0x28, 0xA1],
            [0xED, 0xA0, 0x80], [0xF0, 0x80, 0x80, 0x80], [0xF0, 0x9F, 0x98, 0x28], [0xF4, 0x90, 0x80, 0x80],
            [0xF5, 0x80, 0x80, 0x80], [0xFF],
        ])
    func invalidUTF8(content: [UInt8]) throws {
        expect([0x22] + content + [0x22], isRefusedWith: "1:2 invalid UTF-8")
        expect([0x22] + content, isRefusedWith: "1:2 invalid UTF-8")
    }

    @Test("Each byte of a string is checked, at any position")
    func everyPlace() throws {
        for length in 1..<20 {
            for place in 0..<length {
                for byte in [0x00, 0x1F, 0x20, 0x21, 0x22, 0x23, 0x5B, 0x5C, 0x5D, 0x7F, 0x80, 0xFF]
                    as [UInt8]
                {
                    var content = [UInt8](repeating: UInt8(ascii: "."), count: length)
                    content[place] = byte
                    let text = Array("[\"".utf8) + content + Array("\",\"more than eight bytes\"]".utf8)
                    let isValid = 0x20..<0x80 ~= byte && byte != 0x22 && byte != 0x5C
                    let isTaken = (try? StrictJSON.validate(text, maximumDepth: 1)) != nil
                    #expect(isTaken == isValid, "0x\(String(byte, radix: 16)) at \(place) of \(length)")
                }
            }
        }
    }

    @Test(
        "A repeated name in an object is refused at its second occurrence",
        arguments: [
            (#"{"a":1,"a":2}"#, #"1:8 the name "a" occurs twice in one object"#),
            (#"{"é":1,"\u00e9":2}"#, #"1:8 the name "\u{00E9}" occurs twice in one object"#),
            (#"{"😀":1,"\ud83d\ude00":2}"#, #"1:8 the name "\u{0001F600}" occurs twice in one object"#),
            (
                #"{"\u001b[1m\n":1,"\u001b[1m\n":2}"#,
                #"1:18 the name "\u{1B}[1m\n" occurs twice in one object"#
            ),
            (#"{"x":{"b":1,"c":2,"b":3},"b":4}"#, #"1:19 the name "b" occurs twice in one object"#),
            (#"{"b":{"c":1},"c":2,"b":3}"#, #"1:20 the name "b" occurs twice in one object"#),
        ])
    func duplicates(text: String, expected: String) throws {
        expect(Array(text.utf8), isRefusedWith: expected)
    }

    @Test("A repeated name among ten thousand is found")
    func manyNames() throws {
        let members = (0..<10_000).map { "\"n\($0)\":0" }
        try StrictJSON.validate(Array("{\(members.joined(separator: ","))}".utf8), maximumDepth: 1)
        let text = "{\(members.joined(separator: ",")),\"n5000\":0}"
        #expect(throws: JSONSyntaxError.self) { try StrictJSON.validate(Array(text.utf8), maximumDepth: 1) }
    }

    @Test("Nesting is counted from 1 and limited")
    func depth() throws {
        try StrictJSON.validate(Array("[[[]]]".utf8), maximumDepth: 3)
        expect(Array("[[[]]]".utf8), isRefusedWith: "1:3 nested deeper than 2", maximumDepth: 2)
        expect(Array(#"[{"a":[]}]"#.utf8), isRefusedWith: "1:7 nested deeper than 2", maximumDepth: 2)
    }

    @Test("A million open brackets do not overflow the call stack, even if the limit allows them")
    func depthBomb() throws {
        let bomb = [UInt8](repeating: UInt8(ascii: "["), count: 1_000_000)
        #expect(throws: JSONSyntaxError.self) { try StrictJSON.validate(bomb, maximumDepth: .max) }
    }

    @Test("No prefix of a JSON text is accepted as complete")
    func prefixes() throws {
        let text = Array(#"{"a":[1.5e3,true,null,"\u00e9\ud83d\ude00é😀"],"b":{"c":-0}}"#.utf8)
        try StrictJSON.validate(text, maximumDepth: 4)
        for end in text.indices {
            #expect(throws: JSONSyntaxError.self) { try StrictJSON.validate(text[..<end], maximumDepth: 4) }
        }
    }

    @Test("JSON bytes without contiguous storage are validated, too")
    func otherCollections() throws {
        #expect(throws: JSONSyntaxError.self) {
            try StrictJSON.validate(AnyCollection(Array("[1,]".utf8)), maximumDepth: 4)
        }
    }

    @Test("The description of a JSON error names line and column")
    func description() throws {
        let error = #expect(throws: JSONSyntaxError.self) {
            try StrictJSON.validate(Array("[\"é\",\n\n 1,]".utf8), maximumDepth: 4)
        }
        #expect(error?.description == "line 3, column 3: trailing comma before ]")
        #expect(error?.offset == 10)
    }
}

private func expect(
    _ bytes: [UInt8], isRefusedWith expected: String, maximumDepth: Int = 8,
    sourceLocation: SourceLocation = #_sourceLocation
) {
    let error = #expect(throws: JSONSyntaxError.self, sourceLocation: sourceLocation) {
        try StrictJSON.validate(bytes, maximumDepth: maximumDepth)
    }
    guard let error else { return }
    #expect("\(error.line):\(error.column) \(error.reason)" == expected, sourceLocation: sourceLocation)
}
