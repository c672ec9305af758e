import StrictJSON
import Testing
import Varlink

@Suite struct ParameterCheckTests {
    private static let text = """
        interface org.example
        type Kind (one, two)
        type Leaf (n: int, k: ?Kind)
        type Tree (leaf: Leaf, rest: ?Tree)
        method Values(b: ?bool, i: ?int, f: ?float, s: ?string, o: ?object, k: ?Kind) -> ()
        method Nested(a: ?[]Leaf, d: ?[string]int, t: ?Tree, n: ?(x: int, y: ?bool), m: ?[]?int) -> ()
        method Needed(first: string, second: int, third: ?bool) -> (users: []string)
        error Bad(key: string)
        """

    private func check(_ parameters: String, _ fields: (Interface) -> [Interface.Field]?) throws -> String? {
        let interface = try Interface(parsing: Self.text)
        let value = try JSONValue(validating: Array(parameters.utf8), maximumDepth: 16)
        return interface.invalidParameter(in: value, fields: try #require(fields(interface)))
    }

    @Test(
        "Each type accepts only its own values",
        arguments: [
            ("{}", nil), (#"{"b":null,"i":null,"f":null,"s":null,"o":null,"k":null}"#, nil),
            (#"{"b":true}"#, nil), (#"{"b":0}"#, "b"), (#"{"b":"true"}"#, "b"),
            (#"{"i":-9223372036854775808}"#, nil), (#"{"i":9223372036854775808}"#, "i"), (#"{"i":1.0}"#, "i"),
            (#"{"i":1e2}"#, "i"), (#"{"i":"1"}"#, "i"), (#"{"i":true}"#, "i"),
            (#"{"f":1.5}"#, nil), (#"{"f":1}"#, nil), (#"{"f":"1"}"#, "f"),
            (#"{"s":""}"#, nil), (#"{"s":1}"#, "s"),
            (#"{"o":{"x":[1]}}"#, nil), (#"{"o":[]}"#, "o"), (#"{"o":1}"#, "o"),
            (#"{"k":"one"}"#, nil), (#"{"k":"\u006fne"}"#, nil), (#"{"k":"three"}"#, "k"), (#"{"k":1}"#, "k"),
            (#"{"k":"One"}"#, "k"), (#"{"z":1}"#, "z"), (#"{"z":null}"#, "z"), (#"{"B":true}"#, "B"),
            (#"{"i":"1","b":1}"#, "i"), (#"{"b":1,"i":"1"}"#, "b"),
        ] as [(String, String?)])
    func values(parameters: String, expected: String?) throws {
        #expect(try check(parameters) { $0.method("Values")?.input } == expected)
    }

    @Test(
        "An error inside a structure is reported with the name of the parameter",
        arguments: [
            (#"{"a":[]}"#, nil), (#"{"a":[{"n":1},{"n":2,"k":"two"},{"n":3,"k":null}]}"#, nil),
            (#"{"a":[{"n":1},{"n":"2"}]}"#, "a"), (#"{"a":[{"n":1,"x":2}]}"#, "a"), (#"{"a":[{}]}"#, "a"),
            (#"{"a":[null]}"#, "a"), (#"{"a":{"n":1}}"#, "a"), (#"{"a":[{"n":1,"k":"no"}]}"#, "a"),
            (#"{"d":{}}"#, nil), (#"{"d":{"any name":1,"":2}}"#, nil), (#"{"d":{"x":"1"}}"#, "d"),
            (#"{"d":[1]}"#, "d"),
            (#"{"t":{"leaf":{"n":1},"rest":{"leaf":{"n":2}}}}"#, nil),
            (#"{"t":{"leaf":{"n":1},"rest":{"leaf":{"n":null}}}}"#, "t"),
            (#"{"n":{"x":1}}"#, nil), (#"{"n":{"x":1,"y":true}}"#, nil), (#"{"n":{"y":true}}"#, "n"),
            (#"{"n":[]}"#, "n"),
            (#"{"m":[1,null]}"#, nil), (#"{"m":[1,"x"]}"#, "m"),
        ] as [(String, String?)])
    func nested(parameters: String, expected: String?) throws {
        #expect(try check(parameters) { $0.method("Nested")?.input } == expected)
    }

    @Test(
        "The first missing parameter is named, unless another is invalid",
        arguments: [
            ("{}", "first"), (#"{"first":"a"}"#, "second"), (#"{"second":1,"first":"a"}"#, nil),
            (#"{"first":null,"second":1}"#, "first"), (#"{"zz":1}"#, "zz"), (#"{"second":"x"}"#, "second"),
        ] as [(String, String?)])
    func missing(parameters: String, expected: String?) throws {
        #expect(try check(parameters) { $0.method("Needed")?.input } == expected)
    }

    @Test("Outputs and errors are checked like inputs")
    func outputsAndErrors() throws {
        #expect(try check(#"{"users":["a"]}"#) { $0.method("Needed")?.output } == nil)
        #expect(try check(#"{"users":[1]}"#) { $0.method("Needed")?.output } == "users")
        #expect(try check(#"{"key":"a"}"#) { $0.error("Bad")?.fields } == nil)
        #expect(try check(#"{}"#) { $0.error("Bad")?.fields } == "key")
    }
}
