extension Dialogue {
    /// Exactly one JSON text per message (RFC 8259).
    static let messages: [Dialogue] =
        [
            .closes("an empty message closes", ""),
            .closes("a second NUL is an empty message", "\0" + call("Echo")),
            .init(
                "an empty message closes after the reply before it", call("Echo") + "\0", reply(),
                end: .closed),
            .closes("white space alone closes", " \t\r\n"),
            .init("white space may be anywhere between", spaced, reply(#"{ "int" : 1 , "list" : [ ] }"#)),
            .closes("two objects in one message close", call("Echo") + call("Echo")),
            .closes("two objects on two lines close", call("Echo") + "\n" + call("Echo")),
            .closes("a comma after the object closes", call("Echo") + ","),
            .closes("a brace too many closes", call("Echo") + "}"),
            .closes("a byte order mark closes", "\u{FEFF}" + call("Echo")),
            .closes("a byte order mark at the end closes", call("Echo") + "\u{FEFF}"),
            .closes("a byte order mark between closes", "{\u{FEFF}" + call("Echo").dropFirst()),
            .closes("UTF-16 closes", "{\0\"\0m\0e\0t\0h\0o\0d\0"),
            .closes(
                "a NUL within a string ends the message there", call("Echo", #","x.y":"a"# + "\0" + #"b""#)),
        ]

    static let messagesOfOtherKinds: [Dialogue] =
        [
            "[]", "[\(call("Echo"))]", "null", "true", "false", "0", "-1.5", #""""#,
            #""org.example.table.Echo""#,
        ]
        .map { .closes("\($0) is not a call and closes", $0) }

    /// Every proper prefix of a call as a message.
    static let beginnings: [Dialogue] =
        shortest.indices.dropFirst().map { .closes("\(shortest[..<$0]) closes", String(shortest[..<$0])) }

    /// Characters in place of white space.
    static let separators: [Dialogue] =
        between.map { what, text in
            .closes("\(what) closes", #"{\#(text)"method":"org.example.table.Echo"}"#)
        }

    /// Texts in place of an object.
    static let objects: [Dialogue] =
        [
            ("a trailing comma", #"{"a":1,}"#), ("a comma in an empty object", "{,}"),
            ("a comma before the first member", #"{,"a":1}"#), ("two commas", #"{"a":1,,"b":2}"#),
            ("no comma between members", #"{"a":1 "b":2}"#), ("a semicolon", #"{"a":1;"b":2}"#),
            ("a trailing comma in an array", #"{"a":[1,]}"#), ("a comma in an empty array", #"{"a":[,]}"#),
            ("no comma between elements", #"{"a":[1 2]}"#),
            ("an array that ends as an object", #"{"a":[1}}"#),
            ("an object that ends as an array", #"{"a":{"b":1]}"#), ("no colon", #"{"a" 1}"#),
            ("an equals sign", #"{"a"=1}"#), ("two colons", #"{"a"::1}"#), ("no value", #"{"a":}"#),
            ("a name alone", #"{"a"}"#), ("a name without quotes", "{a:1}"), ("a number for a name", "{1:1}"),
            ("null for a name", "{null:1}"), ("single quotes", "{'a':'b'}"),
            ("a word in capitals", #"{"a":TRUE}"#),
            ("a Python word", #"{"a":None}"#), ("undefined", #"{"a":undefined}"#),
            ("half a word", #"{"a":tru}"#),
            ("a word and more", #"{"a":nullnull}"#), ("a function", #"{"a":Date(0)}"#),
            ("a comment within", #"{"a":1/**/}"#),
        ].map { what, object in .closes("\(what) closes", echo(#"{"object":\#(object)}"#)) }

    /// Duplicate names in an object.
    static let repeatedNames: [Dialogue] =
        [
            .closes(
                "a repeated method closes", call("Echo", #","method":"org.example.table.Echo""#)),
            .closes(
                "two spellings of a name are one name",
                call("Echo", #","\u006dethod":"org.example.table.Echo""#)),
            .closes(
                "repeated parameters close", call("Echo", #","parameters":{},"parameters":{}"#)),
            .closes("a repeated flag closes", call("Echo", #","more":false,"more":false"#)),
            .closes("a repeated extension closes", call("Echo", #","x.y":1,"x.y":1"#)),
            .closes("a repeated name in an extension closes", call("Echo", #","x.y":{"a":1,"a":1}"#)),
            .closes("a repeated parameter closes", echo(#"{"int":1,"int":1}"#)),
            .closes(
                "a repeated name within a parameter closes", echo(#"{"object":{"a":1,"b":2,"a":3}}"#)),
            .closes(
                "a repeated name deep within a parameter closes",
                echo(#"{"object":{"a":[{"b":1,"\u0062":2}]}}"#)),
            .init(
                "the same name may occur in two objects",
                echo(#"{"object":{"a":{"a":1},"b":[{"a":1},{"a":2}]}}"#),
                reply(#"{"object":{"a":{"a":1},"b":[{"a":1},{"a":2}]}}"#)),
            .init(
                "names that only look alike are different", echo("{\"map\":{\"\u{e9}\":1,\"e\u{301}\":2}}"),
                reply("{\"map\":{\"\u{e9}\":1,\"e\u{301}\":2}}")),
        ]

    private static let shortest = #"{"method":"a.B"}"#
    private static let spaced =
        " \t\r\n{ \"method\" : \"org.example.table.Echo\" ,\n"
        + "\t\"parameters\" :\r\n { \"int\" : 1 , \"list\" : [ ] } } \t\r\n"
    private static let between = [
        ("a block comment", "/**/"), ("a line comment", "//\n"), ("a shell's comment", "#\n"),
        ("a form feed", "\u{c}"), ("a vertical tab", "\u{b}"), ("a no-break space", "\u{a0}"),
        ("a line separator", "\u{2028}"), ("a next line", "\u{85}"), ("an escape character", "\u{1b}"),
        ("a backslash", "\\"),
    ]
}
