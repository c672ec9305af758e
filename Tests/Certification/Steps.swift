/// An expected call of a method of org.varlink.certification, and its replies.
struct Step: Sendable {
    let method: String
    /// A JSON object without the client's id.
    let parameters: String
    var more = false
    var oneway = false
    /// JSON objects: one, unless the method is called with more.
    let replies: [String]

    /// All steps in the expected order. Start's reply contains only the client's id.
    static let all = [
        Step(method: "Start", parameters: "{}", replies: []),
        Step(method: "Test01", parameters: "{}", replies: [flag]),
        Step(method: "Test02", parameters: flag, replies: [integer]),
        Step(method: "Test03", parameters: integer, replies: [float]),
        Step(method: "Test04", parameters: float, replies: [string]),
        Step(method: "Test05", parameters: string, replies: [several]),
        Step(method: "Test06", parameters: several, replies: [#"{"struct":\#(several)}"#]),
        Step(method: "Test07", parameters: #"{"struct":\#(several)}"#, replies: [#"{"map":\#(map)}"#]),
        Step(method: "Test08", parameters: #"{"map":\#(map)}"#, replies: [#"{"set":\#(set)}"#]),
        Step(method: "Test09", parameters: #"{"set":\#(set)}"#, replies: [everything]),
        Step(
            method: "Test10", parameters: everything, more: true,
            replies: strings.map { #"{"string":"\#($0)"}"# }),
        Step(
            method: "Test11", parameters: #"{"last_more_replies":\#(strings)}"#, oneway: true,
            replies: ["{}"]),
        Step(method: "End", parameters: "{}", replies: [#"{"all_ok":true}"#]),
    ]

    private static let flag = #"{"bool":true}"#
    private static let integer = #"{"int":1}"#
    private static let float = #"{"float":1.0}"#
    private static let string = #"{"string":"ping"}"#
    private static let several =
        #"{"bool":false,"int":2,"float":\#(Double.pi),"string":"a lot of string"}"#
    private static let map = #"{"foo":"Foo","bar":"Bar"}"#
    private static let set = #"{"one":{},"two":{},"three":{}}"#
    /// Swift's description of them is valid JSON, since nothing in them needs escaping.
    private static let strings = (1...10).map { "Reply number \($0)" }
    private static let everything = #"""
        {"mytype":{
            "object":{"method":"org.varlink.certification.Test09","parameters":{"map":\#(map)}},
            "enum":"two",
            "struct":{"first":1,"second":"2"},
            "array":["one","two","three"],
            "dictionary":\#(map),
            "stringset":\#(set),
            "interface":{
                "foo":[null,{"foo":"foo","bar":"bar"},null,{"one":"foo","two":"bar"}],
                "anon":{"foo":true,"bar":false}}}}
        """#
}
