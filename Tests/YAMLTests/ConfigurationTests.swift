import TestSupport
import Testing
import YAML

@Suite("A configuration is read by its settings' names, and changed without touching other lines")
struct ConfigurationTests {
    private func configuration(_ text: String) throws(YAMLError) -> Configuration {
        try Configuration(Array(text.utf8))
    }

    @Test(
        "A single value is found by its name; what is no single value is none",
        arguments: [
            ("a.b: 1\na:\n  b: 20001 # mine\n", "20001"), ("a: {b: \"x y\"}", "x y"),
            ("a:\r\n  b: 'c'\r\n", "c"),
            ("\u{FEFF}a:\n  \"b\": c\n", "c"), ("a:\n  b: \"\"\n", ""), ("", nil), ("a:\n", nil),
            ("a:\n  b:\n", nil), ("a:\n  b: ~\n", nil), ("a:\n  b: [1]\n", nil), ("- a\n", nil),
            ("b: 1\n", nil),
            ("a.b: 1\n", nil),
        ] as [(String, String?)])
    func text(file: String, value: String?) throws {
        #expect(try configuration(file).text("a.b") == value)
    }

    @Test(
        "A setting is added or replaced, and all other lines stay",
        arguments: [
            ("", "a:\n  b: 7\n"), ("# c", "# c\na:\n  b: 7\n"),
            ("\u{FEFF}x: 1", "\u{FEFF}x: 1\na:\n  b: 7\n"),
            ("x: 1\r\ny: 2\r\n", "x: 1\r\ny: 2\r\na:\r\n  b: 7\r\n"),
            ("x: 1\r\ny: 2", "x: 1\r\ny: 2\r\na:\r\n  b: 7\r\n"),
            ("  x: 1\n", "  x: 1\n  a:\n    b: 7\n"), ("---\nx: 1\n", "---\nx: 1\na:\n  b: 7\n"),
            // Sections, also an empty one.
            ("a:\nx: {}\n", "a:\n  b: 7\nx: {}\n"), ("a: # c\n  #b: 1\n", "a: # c\n  b: 7\n  #b: 1\n"),
            ("a:\n    c: 1\n", "a:\n    b: 7\n    c: 1\n"),
            ("a:\n# column 0\n   c: 1", "a:\n   b: 7\n# column 0\n   c: 1\n"),
            ("'a':\n  c:\n    b: 1\n", "'a':\n  b: 7\n  c:\n    b: 1\n"),
            // Another value.
            ("a:\n  c: 1\n  b: 20 # mine\n", "a:\n  c: 1\n  b: 7 # mine\n"),
            ("a:\r\n  b: '1'\r\n", "a:\r\n  b: '7'\r\n"),
            ("x: 1\na: {b: 1}\n", "x: 1\na: {b: 7}\n"), ("a:\n  b: \"\"  # free\n", "a:\n  b: 7  # free\n"),
            ("a:\n  b:\n    1\n", "a:\n  b:\n    7\n"),
            ("a:\n  \"\\u0062\" : \"ü#\"\n", "a:\n  \"\\u0062\" : \"7\"\n"),
            ("a:\n  c: ü\n  b: ü ü#ü\t#ü\n", "a:\n  c: ü\n  b: 7\t#ü\n"),
        ])
    func set(before: String, after: String) throws {
        let edited = try configuration(before).setting([("a.b", "7")])
        #expect(String(decoding: edited.bytes, as: UTF8.self) == after)
        #expect(edited.text("a.b") == "7")
        // Again, nothing changes.
        #expect(try edited.setting([("a.b", "7")]).bytes == edited.bytes)
    }

    @Test("Several settings keep their order, below the sections that are there")
    func several() throws {
        let settings = [("a.x", "1"), ("a.o.p", "{q: r}"), ("a.o.s", "\"t # u\""), ("a.y", "2")]
        let lines = "a:\n  x: 1\n  o:\n    p: {q: r}\n    s: \"t # u\"\n  y: 2\n"
        #expect(try configuration("").setting(settings).bytes == Array(lines.utf8))
        let before = "a:\n  #x: 0\n  o:\n    #p: 0\nb: 1\n"
        let after =
            "a:\n  x: 1\n  y: 2\n  #x: 0\n  o:\n    p: {q: r}\n    s: \"t # u\"\n    #p: 0\nb: 1\n"
        #expect(try configuration(before).setting(settings).bytes == Array(after.utf8))
    }

    @Test(
        "What is written in another way is left to a person, with its line",
        arguments: [
            ("a:\n  b:\n  c: 1\n", "b", 2), ("a: {c: 1}\n", "a", 1), ("a: ~\n", "a", 1), ("a: 1\n", "a", 1),
            ("a: [b]\n", "a", 1),
            ("a:\n  b: |\n    1\n", "b", 2), ("a:\n  b: \"1\n    2\"\n", "b", 2),
            ("a:\n  b: [1,\n    2]\n", "b", 2),
            ("a:\r  b: 1\rx: 1\r", "b", 2), ("{x: 1}\n", nil, nil), ("- x\n", nil, nil), ("x\n", nil, nil),
            ("x: 1\n...\n", nil, nil),
            ("x: |\n  y", nil, nil), ("~\n", nil, nil),
        ] as [(String, String?, Int?)])
    func refused(text: String, name: String?, line: Int?) throws {
        let error = #expect(throws: YAMLError.self) {
            try configuration(text).setting([("a.b", "7")])
        }
        #expect(
            error?.reason.hasPrefix(name.map { "\($0) is written" } ?? "is written") == true
                && error?.line == line)
    }

    @Test(
        "A value brings no other setting",
        arguments: ["7\nx: 1", "7\n  c: 1", "7\n...", "7\r  c: 1", "{", "\"", "&x 7"])
    func injected(yaml: String) {
        #expect(throws: YAMLError.self) { try configuration("").setting([("a.b", yaml)]) }
    }

    @Test(
        "A setting is removed, with a section that has nothing else, not even a comment",
        arguments: [
            ("x: 1\na:\n  b: 1\n", "x: 1\n"), ("a:\n  b: 1 # mine\n\n# y\nx: 1\n", "\n# y\nx: 1\n"),
            ("a:\r\n  b: 1\r\n  c: 1\r\n", "a:\r\n  c: 1\r\n"),
            ("a:\n  b: 1\n\n  # c\n  #c: 1\n", "a:\n\n  # c\n  #c: 1\n"),
            ("a:\n  # b\n  b: 1\n", "a:\n  # b\n"), ("\u{FEFF}a:\n  b: 1\nx: 1", "x: 1\n"),
            ("a: {b: 1}\nx: 1\n", "x: 1\n"), ("a:\n  b:\n    1\n", ""),
            ("a:\n  b:\n    - 1\n    - c: 2\n      d: 3\n  c: 1\n", "a:\n  c: 1\n"),
            ("a:\n  b:\n    c: 1\n    d:\n      e: 1\nx: 1\n", "x: 1\n"),
            ("a:\n  c: 1\n", "a:\n  c: 1\n"), ("x: 1", "x: 1"), ("", ""),
        ])
    func remove(before: String, after: String) throws {
        #expect(try configuration(before).removing("a.b").bytes == Array(after.utf8))
    }

    @Test("The settings of a section are those with values, a list or what is on one line as one")
    func names() throws {
        let text =
            "a:\n  b: 1\n  c:\n  d: {e: 1, f: [1, 2]}\n  #g: 1\n  h: \"\"\n  i:\n    j: 1\n    k:\n      - 1\nx: 1\n"
        #expect(try configuration(text).names(in: "a") == ["a.b", "a.d", "a.h", "a.i.j", "a.i.k"])
        #expect(try configuration(text).names(in: "y") == [])
    }

    @Test(
        "A setting that shares its lines with others is left to a person",
        arguments: [
            "a: {b: 1, c: 1}\n", "{a: {b: 1}, x: 1}\n", "a:\n  b: |\n    1\n",
            "a:\n  b: [1,\n    2\n  ]\n",
            "a: {\n  b: 1\n}\n",
            "a:\r  b: 1\rx: 1\r",
        ])
    func shared(text: String) throws {
        #expect(throws: YAMLError.self) { try configuration(text).removing("a.b") }
    }

    @Test("Whatever an edit accepts, all other values stay as they were")
    func random() throws {
        let parts = [
            "a:", "a: # c", "a: {b: 1}", "a: {", "}", "  b: 1", "  b: # d", "  b: |", "    1", "  c: {b: 1}",
            "x: 1", "y: [",
            "]", "  - 1", "# e", "  # f", "", "? a", ": b: 1", "\"", "...", "---", "~",
        ]
        var random = SeededRandom(seed: 1)
        var (taken, refused) = (0, 0)
        for _ in 0..<5000 {
            let lines = (0..<Int.random(in: 1...5, using: &random)).compactMap { _ in
                parts.randomElement(using: &random)
            }
            let text = lines.joined(separator: ["\n", "\r\n"].randomElement(using: &random) ?? "")
            guard let before = try? configuration(text) else { continue }
            for edited in [try? before.setting([("a.b", "7")]), try? before.removing("a.b")] {
                guard let edited else {
                    refused += 1
                    continue
                }
                taken += 1
                #expect([nil, "7"].contains(edited.text("a.b")), "\(text.debugDescription)")
                for name in ["x", "y", "b", "a.c.b"] {
                    #expect(
                        edited[name]?.value.texts == before[name]?.value.texts, "\(text.debugDescription)")
                }
            }
        }
        #expect(taken > 100 && refused > 100)
    }
}
