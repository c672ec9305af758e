extension Dialogue {
    /// The grammar of RFC 8259 and the range of a double.
    static let numbers: [Dialogue] =
        [
            "0", "-0", "-1", "10", "1.0", "-0.0", "1e2", "1E2", "1E+2", "1e-2", "1.5e3", "0e0", "1e308",
            "1e-400", "9223372036854775808", "-9223372036854775809", "1" + String(repeating: "0", count: 308),
            "0." + String(repeating: "0", count: 400) + "1",
        ].map { .init("the number \($0)", nested($0), reply(#"{"object":{"a":\#($0)}}"#)) }

    static let noNumbers: [Dialogue] =
        [
            "00", "01", "-01", "-", "+1", "--1", ".5", "-.5", "1.", "1.e1", "1e", "1e+", "1e1.5", "1E",
            "0x10", "0b1", "1_000", "1,000", "1 000", "NaN", "-NaN", "nan", "Infinity", "-Infinity", "inf",
            "1e400",
            "-1e400", "1e99999999999999999999", "1" + String(repeating: "0", count: 309), "1f", "10n",
            "١", "½",
        ].map { .closes("\($0) is not a number and closes", nested($0)) }

    /// Ints are 64-bit numbers without fraction and exponent.
    static let ints: [Dialogue] =
        ["9223372036854775807", "-9223372036854775808", "-0"].map {
            .init("\($0) is an int", echo(#"{"int":\#($0)}"#), reply(#"{"int":\#($0)}"#))
        }

    static let noInts: [Dialogue] =
        [
            "9223372036854775808", "-9223372036854775809", "18446744073709551616", "1.0", "1e2", "-0.0",
            "1E0", "1" + String(repeating: "0", count: 308),
        ].map {
            .init(
                "\($0) is not an int", echo(#"{"int":\#($0)}"#),
                refusal("InvalidParameter", "parameter", "int"))
        }

    static let brokenInts: [Dialogue] =
        ["1e400", "007", "0x7"].map { .closes("\($0) as an int closes", echo(#"{"int":\#($0)}"#)) }

    /// Escapes, control characters and UTF-8.
    static let strings: [Dialogue] =
        [
            ("every short escape", #"\"\\\/\b\f\n\r\t"#), ("a NUL's escape", #"\u0000"#),
            ("hex digits in both cases", #"\u00e9\u00E9"#), ("a pair of surrogates", #"\ud83d\ude00"#),
            ("two pairs of surrogates", #"\ud83d\ude00\uDBFF\uDFFF"#),
            ("an escaped noncharacter", #"\uffff"#),
            ("a raw delete character", "\u{7f}"), ("raw line separators", "\u{2028}\u{2029}\u{85}"),
            ("raw noncharacters", "\u{fffe}\u{ffff}\u{10ffff}"), ("a byte order mark within", "\u{feff}"),
            ("the bounds of each length of UTF-8", "\u{80}\u{7ff}\u{800}\u{d7ff}\u{e000}\u{10000}"),
            ("bidi overrides and zero widths", "\u{202e}\u{200b}\u{2066}"),
            ("an escaped backslash at the end", #"\\"#),
        ].map { what, content in
            .init("\(what) in a string", text(content), reply(#"{"string":"\#(content)"}"#))
        }

    static let controlCharacters: [Dialogue] =
        (1..<0x20).map { (scalar: UInt8) in
            .closes(
                "a raw control character \(scalar) in a string closes",
                text("a" + String(Unicode.Scalar(scalar))))
        }

    static let brokenEscapes: [Dialogue] =
        [
            #"\x41"#, #"\'"#, #"\0"#, #"\a"#, #"\U0041"#, #"\u"#, #"\u12"#, #"\u12G4"#,
            #"\u{41}"#, #"\u 041"#, #"\u+041"#, #"\uD800"#, #"\uDC00"#, #"\uD800\uD800"#,
            #"\uDC00\uD800"#, #"\uD800a"#, #"\uD800\n"#, #"\uD800\u0041"#, #"\uD800\u"#, #"\"#,
        ].map { .closes("the escape \($0) closes", text($0)) }

    static let brokenStrings: [Dialogue] =
        [
            .closes("half a pair of surrogates in a name closes", echo(#"{"map":{"\ud800":1}}"#)),
            .closes("half a pair of surrogates in a method closes", call(#"\udfff"#)),
            .closes("a string without an end closes", #"{"method":"org.example.table.Echo}"#),
        ]

    static let invalidUTF8: [Dialogue] =
        invalid.flatMap { (what, sequence) -> [Dialogue] in
            [
                ("in a string", #"{"string":""#, #""}"#), ("in a name", #"{"map":{""#, #"":1}}"#),
                ("outside of strings", #"{"int":1"#, "}"),
            ].map { place, before, after in
                let (head, tail) = (
                    #"{"method":"org.example.table.Echo","parameters":"# + before, after + "}"
                )
                return .init(
                    "\(what) \(place) closes", bytes: Array(head.utf8) + sequence + Array(tail.utf8) + [0],
                    [], .closed)
            }
        }

    /// Invalid UTF-8 (Unicode Standard, table 3-7).
    private static let invalid: [(String, [UInt8])] = [
        ("a continuation alone", [0x80]), ("two bytes for a NUL", [0xC0, 0x80]),
        ("two bytes for a character of one", [0xC1, 0xBF]),
        ("three bytes for a character of two", [0xE0, 0x9F, 0xBF]),
        ("four bytes for a character of three", [0xF0, 0x8F, 0xBF, 0xBF]),
        ("a high surrogate", [0xED, 0xA0, 0x80]),
        ("a low surrogate", [0xED, 0xBF, 0xBF]),
        ("a pair of surrogates in six bytes", [0xED, 0xA0, 0xBD, 0xED, 0xB8, 0x80]),
        ("a scalar past the last", [0xF4, 0x90, 0x80, 0x80]),
        ("a byte that begins nothing", [0xF5, 0x80, 0x80, 0x80]),
        ("a byte 0xFF", [0xFF]), ("two bytes cut short", [0xC3]), ("three bytes cut short", [0xE2, 0x82]),
        ("four bytes cut short", [0xF0, 0x9F, 0x98]), ("Latin-1", [0x4A, 0xF6, 0x72, 0x67]),
    ]

    private static func nested(_ value: String) -> String { echo(#"{"object":{"a":\#(value)}}"#) }

    private static func text(_ content: String) -> String { echo(#"{"string":"\#(content)"}"#) }
}
