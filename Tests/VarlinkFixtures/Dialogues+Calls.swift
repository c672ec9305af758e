extension Dialogue {
    /// Members of calls; replies and errors.
    static let calls: [Dialogue] =
        [
            .init("parameters may be absent", call("Echo"), reply()),
            .init("parameters that are null count as absent", echo("null"), reply()),
            .init("parameters may be empty", echo("{}"), reply()),
            .init("members have no order", #"{"parameters":{},"method":"org.example.table.Echo"}"#, reply()),
            .closes("parameters that are an array close", echo("[]")),
            .closes("parameters that are a string close", echo(#""{}""#)),
            .closes("parameters that are a number close", echo("0")),
            .closes("parameters that are a boolean close", echo("false")),

            .init(
                "a member with a dot is an extension, whatever it holds",
                call("Echo", #","org.example.x":{"more":1},"x.":null,".":[true],"more.":2"#), reply()),
            .init("a dot with an accent on it is a dot", call("Echo", #","x.\u0301":1"#), reply()),
            .init("an escaped dot is a dot", call("Echo", #","x\u002ey":1"#), reply()),
            .closes("an unknown member without a dot closes", call("Echo", #","unknown":1"#)),
            .closes("an unknown member that is null closes", call("Echo", #","id":null"#)),
            .closes("a member without a name closes", call("Echo", #","":1"#)),
            .closes("a member in capitals is unknown", call("Echo", #","More":true"#)),
            .closes(
                "a reply's member is unknown in a call",
                call("Echo", #","error":"org.example.table.Refused""#)),
            .closes("continues is unknown in a call", call("Echo", #","continues":false"#)),
            .closes("an escaped name that is unknown closes", call("Echo", #","\u006dore2":true"#)),
            .init(
                "an escaped name is the name that it spells",
                #"{"\u006dethod":"org.example.table.\u0045cho","paramet\u0065rs":{"\u0069nt":1}}"#,
                reply(#"{"\u0069nt":1}"#)),

            .init("an error has its name and parameters", call("Refuse"), refused),
            .init("an error ends a call with more", call("Refuse", #","more":true"#), refused),
            .closes("a failure without an error to answer with closes", call("Break")),
            .init(
                "a failure without an error to answer with closes before later calls",
                call("Echo") + "\0" + call("Break") + "\0" + call("Echo"), reply(), end: .closed),

            .init(
                "with more, all replies are sent, each with continues except for the last",
                call("List", #","more":true"#),
                continuing(1), continuing(2), reply(#"{"n":3}"#)),
            .init("only the first of many replies is sent without more", call("List"), reply(#"{"n":1}"#)),
            .init("one reply is enough for more", call("Echo", #","more":true"#), reply()),
            .init(
                "a missing more that is required is an error", call("Count", #","parameters":{"to":1}"#),
                expectedMore),
            .init(
                "more that is false counts as missing",
                call("Count", #","parameters":{"to":1},"more":false"#),
                expectedMore
            ),
            .init(
                "a method that requires more answers with more",
                call("Count", #","parameters":{"to":2},"more":true"#), continuing(1), reply(#"{"n":2}"#)),
            .init(
                "a missing more is reported before an invalid parameter", call("Count"), expectedMore),
            .init("replies may end with an error", call("Falter", #","more":true"#), continuing(1), refused),
            .init(
                "replies without a last one close", call("Dangle", #","more":true"#), continuing(1),
                end: .closed),
            .init(
                "calls after one with more wait for its last reply",
                call("List", #","more":true"#) + "\0" + call("Echo"),
                continuing(1), continuing(2), reply(#"{"n":3}"#), reply()),

            .init(
                "calls in one write are answered in their order",
                (1...9).map { echo(#"{"int":\#($0)}"#) }.joined(separator: "\0"),
                reply(#"{"int":1}"#), reply(#"{"int":2}"#), reply(#"{"int":3}"#), reply(#"{"int":4}"#),
                reply(#"{"int":5}"#), reply(#"{"int":6}"#), reply(#"{"int":7}"#), reply(#"{"int":8}"#),
                reply(#"{"int":9}"#)),
            .init(
                "a violation closes after the earlier replies and before the later calls",
                call("Echo") + "\0nonsense\0" + call("Echo"), reply(), end: .closed),
            .init(
                "a call without its NUL is not answered yet",
                bytes: Array((call("Echo") + "\0" + call("Echo")).utf8),
                [reply()], .unfinished),
        ]

    private static let refused = #"{"error":"org.example.table.Refused","parameters":{"why":"asked to"}}"#
    private static let expectedMore = #"{"error":"org.varlink.service.ExpectedMore","parameters":{}}"#

    private static func continuing(_ n: Int) -> String { #"{"parameters":{"n":\#(n)},"continues":true}"# }
}
