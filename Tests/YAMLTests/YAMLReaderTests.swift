import Testing
import YAML

struct YAMLReaderTests {
    @Test func `a document is a tree whose nodes know where they begin`() throws {
        let text = """
            # A comment.
            name: user  # another
            "paths":
              - a.b
              - 'c: d'
            nested: {x: 1, y: [2]}
            block: |
              one
              two
            """
        #expect(
            try document(text)?.drawn == """
                2:1 {
                2:1 name: 2:7 user
                3:1 paths: 4:3 [
                4:5 a.b
                5:5 'c: d'
                ]
                6:1 nested: 6:9 {
                6:10 x: 6:13 1
                6:16 y: 6:19 [
                6:20 2
                ]
                }
                7:1 block: 7:8 'one\ntwo'
                }
                """)
    }

    @Test(arguments: ["", "\n", "# nothing\n", "\u{FEFF}# BOM\n"])
    func `a file without a document is none`(text: String) throws {
        #expect(try document(text) == nil)
    }

    @Test(arguments: [
        ("", true), ("~", true), ("null", true), ("''", false), ("\"null\"", false), ("x", false),
    ])
    func `what is not written is null, and what is quoted is not`(text: String, isNull: Bool) throws {
        guard case .sequence(let nodes) = try document("- \(text)\n")?.content else {
            Issue.record("no list")
            return
        }
        #expect(nodes.map(\.isNull) == [isNull])
    }

    @Test(arguments: [
        ("a: 1\nb:\n  a: 2\na: 3\n", "4:1: has \"a\" twice, first on line 1"),
        ("a: &x 1\n", "1:4: has an anchor (&x), which is not supported"),
        ("a: *x\n", "1:4: has an alias (*x), which is not supported"),
        ("a: [b, !!str c]\n", "1:8: has a tag (tag:yaml.org,2002:str), which is not supported"),
        ("a: !mine {}\n", "1:4: has a tag (!mine), which is not supported"),
        ("[a]: 1\n", "1:1: has a list where a name should be"),
        (
            "a: 1\n---\nb: 2\n",
            "2:1: has a second YAML document; write everything into the first, and remove ---"
        ),
    ])
    func `what would be more than it looks is refused`(text: String, error: String) throws {
        #expect(try failure { try document(text) } == error)
    }

    @Test(arguments: [
        ("a: [1, 2\n", 2), ("a: 1\n\tb: 2\n", 2), ("a: \"b\n", 2), ("a: b: c\n", 1), ("a: @x\n", 1),
        ("a: 1\nb: \u{1}\n", 2), ("\r\n\r\n- \u{7F}", 3), ("a: 1\n%\n", 2),
    ])
    func `what is no YAML is refused with its line`(text: String, line: Int) throws {
        let error = try #require(throws: YAMLError.self) { try document(text) }
        #expect(error.reason.hasPrefix("is not valid YAML: "))
        #expect(error.line == line)
    }

    @Test func `a document is 32 levels deep at most`() throws {
        func nested(_ depth: Int) -> String {
            String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
        }
        #expect(try document(nested(32)) != nil)
        #expect(try failure { try document(nested(33)) } == "1:33: is nested more than 32 levels deep")
        for endless in ["[", "{a: [", "- "] {
            let text = String(repeating: endless, count: 100_000)
            #expect(throws: YAMLError.self) { try document(text) }
        }
    }

    @Test func `a file is UTF-8 text of 1 MiB at most`() throws {
        #expect(try failure { try YAMLNode.document([0x61, 0xFF]) } == "is not UTF-8 text")
        let text = "a: 1 #" + String(repeating: " ", count: (1 << 20) - 6)
        #expect(try document(text) != nil)
        #expect(try failure { try document(text + " ") } == "is larger than 1 MiB")
    }
}

private func document(_ text: String) throws(YAMLError) -> YAMLNode? {
    try YAMLNode.document(Array(text.utf8))
}

/// The place and the reason.
private func failure(_ body: () throws -> Any?) throws -> String {
    let error = try #require(throws: YAMLError.self) { _ = try body() }
    return ([error.line, error.column].compactMap(\.self).map { "\($0):" } + [" \(error.reason)"]).joined()
        .trimmingPrefix(" ").description
}

extension YAMLNode {
    /// A line for each scalar and each bracket, with places.
    fileprivate var drawn: String {
        let contents =
            switch content {
            case .scalar(let text, let isPlain): isPlain ? text : "'\(text)'"
            case .sequence(let nodes): "[\n" + nodes.map { $0.drawn + "\n" }.joined() + "]"
            case .mapping(let members):
                "{\n"
                    + members.map { "\($0.line):\($0.column) \($0.name): \($0.value.drawn)\n" }.joined() + "}"
            }
        return "\(line):\(column) \(contents)"
    }
}
