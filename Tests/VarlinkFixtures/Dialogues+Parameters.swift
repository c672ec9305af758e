extension Dialogue {
    /// Parameters compared with their declarations.
    static let parameters: [Dialogue] =
        [
            wrong("an undeclared parameter", "z", #"{"z":1}"#),
            wrong("an undeclared parameter that is null", "z", #"{"z":null}"#),
            wrong("a parameter in capitals", "Int", #"{"Int":1}"#),
            wrong("a parameter without a name", "", #"{"":1}"#),
            wrong("the first of two invalid parameters", "string", #"{"string":1,"int":""}"#),
            wrong("an invalid parameter after a valid one", "string", #"{"int":1,"string":1}"#),
            wrong("a parameter with an escaped name by its name", "int", #"{"\u0069nt":""}"#),
            wrong("a name with a quotation mark", #"a\"b"#, #"{"a\"b":1}"#),
            wrong("a name with a NUL", #"\u0000"#, #"{"\u0000":1}"#),
            wrong("a name with a control character", #"\u001b[31m"#, #"{"\u001b[31m":1}"#),
            wrong("the Kelvin sign instead of a declared K", "\u{212A}", "{\"\u{212A}\":1}"),
            wrong("the Kelvin sign instead of a case K", "kind", "{\"kind\":\"\u{212A}\"}"),
            wrong("an undeclared member within a parameter", "leaf", #"{"leaf":{"n":1,"x":1}}"#),
            wrong("a member missing within a parameter", "leaf", #"{"leaf":{}}"#),
            wrong("a null within an array", "list", #"{"list":[1,null]}"#),

            keep("the first missing parameter", "first", "{}"),
            keep("the only missing parameter", "second", #"{"first":""}"#),
            keep("a parameter that must not be null", "first", #"{"first":null,"second":1}"#),
            keep("an invalid parameter before a missing one", "second", #"{"second":""}"#),
            .init(
                "the required parameters are enough", call("Keep", #","parameters":{"second":1,"first":""}"#),
                reply()),
        ]

    /// Each type with valid and invalid values.
    static let types: [Dialogue] =
        [
            ("bool", ["true", "false", "null"], ["0", #""true""#, "[]", "{}"]),
            ("int", ["0", "null"], ["true", #""1""#, "[1]", "{}"]),
            ("float", ["1.5", "1", "-0.0", "null"], ["true", #""1""#, "[]", "{}"]),
            ("string", [#""""#, #""null""#, "null"], ["1", "true", "[]", "{}"]),
            ("object", ["{}", #"{"":[null,{"a":1}]}"#, "null"], ["1", "true", "[]", #""{}""#]),
            (
                "kind", [#""one""#, #""\u006fne""#, #""K""#, "null"],
                [#""two""#, #""One""#, #""""#, "1", "{}"]
            ),
            ("leaf", [#"{"n":1}"#, #"{"kind":null,"n":1}"#, "null"], ["1", "[]", #"{"n":null}"#]),
            ("list", ["[]", "[1,2]", "null"], ["{}", "1", #"["1"]"#]),
            ("map", ["{}", #"{"":1,"b c":2}"#, "null"], ["[]", "1", #"{"a":"1"}"#]),
        ].flatMap { (type: String, taken: [String], refused: [String]) in
            taken.map { value in
                let parameters = #"{"\#(type)":\#(value)}"#
                return .init("\(value) is a \(type)", echo(parameters), reply(parameters))
            }
                + refused.map { value in
                    wrong("\(value), which is not a \(type),", type, #"{"\#(type)":\#(value)}"#)
                }
        }

    private static func wrong(_ what: String, _ name: String, _ parameters: String) -> Dialogue {
        .init("\(what) is named", echo(parameters), refusal("InvalidParameter", "parameter", name))
    }

    private static func keep(_ what: String, _ name: String, _ parameters: String) -> Dialogue {
        .init(
            "\(what) is named", call("Keep", #","parameters":\#(parameters)"#),
            refusal("InvalidParameter", "parameter", name))
    }
}
