extension Dialogue {
    static let flagsThatAreNoBooleans: [Dialogue] =
        names.flatMap { flag in
            ["1", "0", #""true""#, #""""#, "null", "{}", "[true]"].map {
                .closes("\(flag) that is \($0) closes", call("Echo", #","\#(flag)":\#($0)"#))
            }
        }

    static let flagsThatAreFalse: [Dialogue] =
        names.map { flag in
            .init("\(flag) may be false", call("Echo", #","\#(flag)":false"#), reply())
        }

    /// oneway, more and upgrade.
    static let flags: [Dialogue] =
        [
            .init(
                "all flags may be false", call("Echo", #","more":false,"oneway":false,"upgrade":false"#),
                reply()),
            .init(
                "one flag may be true while others are false",
                call("List", #","upgrade":false,"more":true,"oneway":false"#),
                #"{"parameters":{"n":1},"continues":true}"#, #"{"parameters":{"n":2},"continues":true}"#,
                reply(#"{"n":3}"#)),
            .closes("more and oneway close", call("Echo", #","more":true,"oneway":true"#)),
            .closes("more and upgrade close", call("Echo", #","more":true,"upgrade":true"#)),
            .closes("oneway and upgrade close", call("Echo", #","oneway":true,"upgrade":true"#)),
            .closes("all three flags close", call("Echo", #","more":true,"oneway":true,"upgrade":true"#)),
            .closes(
                "two flags close for an unknown method too", #"{"method":"a.B","more":true,"oneway":true}"#),

            oneway("that succeeds", call("Echo", flag)),
            oneway("that fails", call("Refuse", flag)),
            oneway("that fails without an error to answer with", call("Break", flag)),
            oneway("with an invalid parameter", call("Echo", #","parameters":{"int":""}"# + flag)),
            oneway("with a missing parameter", call("Keep", flag)),
            oneway("of a method with many replies", call("List", flag)),
            oneway("of a method whose replies have no last one", call("Dangle", flag)),
            oneway("of a method that requires more", call("Count", #","parameters":{"to":1}"# + flag)),
            oneway("of an unknown method", call("Nope", flag)),
            oneway("of an unknown interface", #"{"method":"a.B","oneway":true}"#),
            oneway("without a dot", #"{"method":"a","oneway":true}"#),
            oneway("of GetInfo", #"{"method":"org.varlink.service.GetInfo","oneway":true}"#),
            .closes("a oneway call that is invalid closes", call("Echo", #","oneway":true,"more":1"#)),

            upgrade("of a method", "org.example.table.Echo"),
            upgrade("of a method with many replies", "org.example.table.List"),
            upgrade("of an unknown method", "org.example.other.Nope"),
            .init(
                "what follows a refused upgrade is Varlink", call("Echo", #","upgrade":true"#) + "\0\n\0",
                refusal("MethodNotImplemented", "method", "org.example.table.Echo"), end: .closed),
        ]

    private static let names = ["more", "oneway", "upgrade"]
    private static let flag = #","oneway":true"#

    private static func oneway(_ what: String, _ message: String) -> Dialogue {
        .init("a oneway call \(what) gets nothing", message + "\0" + call("Echo"), reply())
    }

    private static func upgrade(_ what: String, _ method: String) -> Dialogue {
        .init(
            "an upgrade \(what) is refused and the connection goes on",
            #"{"method":"\#(method)","upgrade":true}"# + "\0" + call("Echo"),
            refusal("MethodNotImplemented", "method", method), reply())
    }
}
