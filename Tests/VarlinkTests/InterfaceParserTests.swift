import Testing
import Varlink
import VarlinkFixtures

@Suite struct InterfaceParserTests {
    @Test("Definitions keep their order, and comments directly above them")
    func definitions() throws {
        let interface = try Interface(
            parsing: """
                # About all.
                #   indented
                interface org.example.a-1

                # lost

                # A thing.
                type Thing (a: ?[]int, b: [string](x: bool, y: Kind), c: object) # not about Kind
                type Kind (one, two_2)
                # Does.
                # [Requires 'more' flag]
                method Do(t: Thing,
                  # inside
                  f: float) -> ()
                method Done() -> (s: string)
                error Bad(k: ?Kind)
                error Worse ()
                """)
        #expect(interface.name == "org.example.a-1")
        #expect(interface.documentation == "About all.\n  indented")
        #expect(
            interface.rendered == """
                # About all.
                #   indented
                interface org.example.a-1

                # A thing.
                type Thing (a: ?[]int, b: [string](x: bool, y: Kind), c: object)

                type Kind (one, two_2)

                # Does.
                # [Requires 'more' flag]
                method Do(t: Thing, f: float) -> ()

                method Done() -> (s: string)

                error Bad(k: ?Kind)

                error Worse()

                """)
        #expect(interface.methods.map(\.requiresMore) == [true, false])
    }

    @Test("Only the interface's name is required, and CR LF also ends lines")
    func smallest() throws {
        #expect(try Interface(parsing: "interface a.b").name == "a.b")
        #expect(try Interface(parsing: "# c\r\ninterface a.b\r\n").documentation == "c")
    }

    @Test(
        "Syntax errors of an interface are reported with their position",
        arguments: [
            ("", "line 1, column 1: expected interface, found the end of the text"),
            ("interface a", "line 1, column 11: expected an interface's name such as org.example, found a"),
            ("interface a.", "line 1, column 11: expected an interface's name such as org.example, found a."),
            (
                "interface 1.a",
                "line 1, column 11: expected an interface's name such as org.example, found 1.a"
            ),
            (
                "interface a.b-",
                "line 1, column 11: expected an interface's name such as org.example, found a.b-"
            ),
            (
                "interface a.b_c",
                "line 1, column 11: expected an interface's name such as org.example, found a.b_c"
            ),
            ("interface a.b\nfoo", "line 2, column 1: expected type, method or error, found foo"),
            (
                "interface a.b\ntype a ()",
                "line 2, column 6: expected a name that begins with a capital letter, found a"
            ),
            ("interface a.b\ntype A int", "line 2, column 8: expected (, found int"),
            ("interface a.b type A (a: int,)", "line 1, column 30: expected a name, found )"),
            ("interface a.b type A (a: int b: int)", "line 1, column 30: expected ,, found b"),
            ("interface a.b type A (a: int, b)", "line 1, column 32: expected :, found )"),
            ("interface a.b type A (a, b: int)", "line 1, column 27: expected ,, found :"),
            ("interface a.b type A (_a: int)", "line 1, column 23: expected a name, found _a"),
            ("interface a.b type A (a__b: int)", "line 1, column 23: expected a name, found a__b"),
            ("interface a.b type A (a_: int)", "line 1, column 23: expected a name, found a_"),
            ("interface a.b type A (a: int, a: int)", "line 1, column 31: a occurs twice"),
            ("interface a.b type A (a: any)", "line 1, column 26: expected a type, found any"),
            ("interface a.b type A (a: )", "line 1, column 26: expected a type, found )"),
            ("interface a.b type A (a: B)", "line 1, column 26: no type B is defined"),
            ("interface a.b type A (a: ??int)", "line 1, column 27: ?? is not allowed; write ?"),
            ("interface a.b type A (a: [int]int)", "line 1, column 26: unexpected \"[\""),
            ("interface a.b type A () type A ()", "line 1, column 30: A is defined twice"),
            ("interface a.b type A () error A ()", "line 1, column 31: A is defined twice"),
            ("interface a.b method A()", "line 1, column 25: expected ->, found the end of the text"),
            (
                "interface a.b method A(a, b) -> ()",
                "line 1, column 23: each parameter needs a type, as in name: type"
            ),
            ("interface a.b type A (a: int", "line 1, column 29: expected ,, found the end of the text"),
            ("interface a.b\n\u{1b}[31m", "line 2, column 1: unexpected \"\\u{1B}\""),
            ("interface a.b é", "line 1, column 15: unexpected \"\\u{00E9}\""),
        ])
    func errors(text: String, expected: String) {
        let error = #expect(throws: InterfaceSyntaxError.self) { try Interface(parsing: text) }
        #expect(error?.description == expected)
    }

    @Test("Types that are nested too deep are refused before the call stack overflows")
    func nesting() {
        let text = "interface a.b type A (a: \(String(repeating: "[]", count: 100_000))int)"
        let error = #expect(throws: InterfaceSyntaxError.self) { try Interface(parsing: text) }
        #expect(error?.reason == "types are nested too deep")
    }

    @Test("No prefix of a text crashes the interface parser")
    func prefixes() throws {
        let text =
            "interface a.b # c\ntype A (a: ?[]B, b: [string](c: int))\ntype B (x, y)\nmethod M(a: A) -> ()"
        _ = try Interface(parsing: text)
        for end in text.indices { _ = try? Interface(parsing: String(text[..<end])) }
    }
}
