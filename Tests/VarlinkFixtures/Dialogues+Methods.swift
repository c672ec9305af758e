extension Dialogue {
    static let withoutMethod: [Dialogue] =
        [
            .init("an empty object closes", "{}", end: .closed),
            .init("a call without a method closes", #"{"parameters":{}}"#, end: .closed),
            .init(
                "an extension does not count as a method",
                #"{"org.example.method":"org.example.table.Echo"}"#, end: .closed
            ),
        ]

    static let methodsOfOtherKinds: [Dialogue] =
        ["null", "true", "1", "{}", "[]", #"["org.example.table.Echo"]"#, #""""#].map {
            .closes("a method that is \($0) closes", #"{"method":\#($0)}"#)
        }

    /// Known and unknown methods.
    static let methods: [Dialogue] =
        [
            notFound("a method without a dot", "Echo"),
            notFound("nothing before the dot", ".Echo"),
            notFound("nothing after the dot", "org.example.table."),
            notFound("a dot alone", "."),
            notFound("an unknown method", "org.example.table.Nope"),
            notFound("a method in another case", "org.example.table.echo"),
            notFound("a method with white space", "org.example.table.Echo "),
            notFound("the interface's name for a method", "org.example.table.org"),
            notFound("a type's name for a method", "org.example.table.Kind"),
            notFound("an error's name for a method", "org.example.table.Refused"),
            notFound("an unknown method of the standard interface", "org.varlink.service.Nope"),
            notFound("a method with an accent on its dot", "org.example.table.\u{301}Echo"),
            notFound("the Kelvin sign does not count as a K", "org.example.table.\u{212A}eep"),
            notFound("an escaped line feed goes back escaped", #"org.example.table.\n"#),
            notFound("an escaped NUL goes back escaped", #"org.example.table.Echo\u0000"#),
            notFound("an escaped quotation mark goes back escaped", #"org.example.table.\"\\"#),
            notFound("an astral character goes back as it came", "org.example.table.😀"),
            .init(
                "a pair of surrogates goes back as its character",
                #"{"method":"org.example.table.\ud83d\ude00"}"#,
                refusal("MethodNotFound", "method", "org.example.table.😀")),
            noInterface("an unknown interface", "org.example.other"),
            noInterface("an interface in another case", "Org.example.table"),
            noInterface("the first part of an interface's name", "org.example"),
            noInterface("an interface's name and more", "org.example.table.more"),
            noInterface("a dot for an interface", "."),
            noInterface("white space before an interface's name", " org.example.table"),

            .init(
                "GetInfo returns all five fields", #"{"method":"org.varlink.service.GetInfo"}"#,
                reply(
                    #"{"vendor":"userd","product":"table","version":"1","url":"https://example.org/","#
                        + #""interfaces":["org.varlink.service","org.example.table"]}"#)),
            .init(
                "GetInfo takes no parameters",
                #"{"method":"org.varlink.service.GetInfo","parameters":{"interface":"a.b"}}"#,
                refusal("InvalidParameter", "parameter", "interface")),
            .init(
                "an interface is described by its exact text",
                describe(#"{"interface":"org.example.table"}"#),
                reply(
                    #"{"description":""#
                        + DialogueService.description.split(separator: "\n").joined(separator: #"\n"#)
                        + #""}"#)),
            .init(
                "a description needs an interface", describe("{}"),
                refusal("InvalidParameter", "parameter", "interface")),
            .init(
                "a description needs an interface's name", describe(#"{"interface":["org.example.table"]}"#),
                refusal("InvalidParameter", "parameter", "interface")),
            .init(
                "an unknown interface has no description",
                describe(#"{"interface":"org.example.other"}"#),
                refusal("InterfaceNotFound", "interface", "org.example.other")),
        ]

    private static func describe(_ parameters: String) -> String {
        #"{"method":"org.varlink.service.GetInterfaceDescription","parameters":\#(parameters)}"#
    }

    /// - Parameter method: escaped, without quotes.
    private static func notFound(_ name: String, _ method: String) -> Dialogue {
        .init(name, #"{"method":"\#(method)"}"#, refusal("MethodNotFound", "method", method))
    }

    private static func noInterface(_ name: String, _ interface: String) -> Dialogue {
        .init(
            name, #"{"method":"\#(interface).Echo"}"#, refusal("InterfaceNotFound", "interface", interface))
    }
}
