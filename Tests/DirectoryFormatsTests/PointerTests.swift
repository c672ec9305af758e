import StrictJSON
import Testing

@testable import Upstream

@Suite("Pointers into JSON")
struct PointerTests {
    private func value(_ pointer: String, in json: String) throws -> String? {
        var reader = RecordReader()
        let slot = reader.add(try Pointer(pointer))
        let value = try JSONValue(validating: Array(json.utf8), maximumDepth: 32)
        return reader.read(value)[slot].map { String(decoding: $0.raw, as: UTF8.self) }
    }

    @Test(
        "A pointer finds what RFC 6901, section 5, says",
        arguments: [
            ("/foo/0", "\"bar\""), ("/", "0"), ("/a~1b", "1"), ("/c%d", "2"), ("/e^f", "3"), ("/g|h", "4"),
            ("/i\\j", "5"), ("/k\"l", "6"), ("/ ", "7"), ("/m~0n", "8"),
        ])
    func standard(pointer: String, expected: String) throws {
        let json = #"""
            {"foo": ["bar", "baz"], "": 0, "a/b": 1, "c%d": 2, "e^f": 3, "g|h": 4, "i\\j": 5, "k\"l": 6, " ": 7,
            "m~n": 8}
            """#
        #expect(try value(pointer, in: json) == expected)
        #expect(try value("", in: json) == json)
    }

    @Test(
        "A pointer finds a name in another case if the exact one is missing, and an element by its member",
        arguments: [
            ("/resources", #"{"Resources": 1}"#, "1"),
            ("/resources", #"{"RESOURCES": 1, "resources": 2}"#, "2"),
            (
                "/emails/[type=work]/value", #"{"emails": [{"type": "home"}, {"type": "Work", "value": 1}]}"#,
                "1"
            ),
            (
                "/emails/[primary=true]/value", #"{"emails": [{"value": 1}, {"primary": true, "value": 2}]}"#,
                "2"
            ),
            ("/emails/[primary=true]/value", #"{"emails": [{"primary": "true", "value": 3}]}"#, "3"),
            // A member with a number as its name, and the element of that number.
            ("/0/a", #"{"0": {"a": 1}}"#, "1"), ("/1/a", #"[{"a": 1}, {"a": 2}]"#, "2"),
            ("/a/b/c", #"{"a": {"b": [1]}}"#, nil), ("/a/7", #"{"a": [1]}"#, nil),
            ("/a/[b=c]/d", #"{"a": [1, "x", null, {"b": {}}]}"#, nil),
        ] as [(String, String, String?)])
    func additions(pointer: String, json: String, expected: String?) throws {
        #expect(try value(pointer, in: json) == expected)
    }

    @Test("An invalid pointer is refused with the reason")
    func mistakes() {
        #expect(throws: FormatMistake(#""id" is not a pointer: it has to begin with /, as in /id"#)) {
            try Pointer("id")
        }
        #expect(throws: FormatMistake(#""/a/[b]": a segment in brackets is [key=value], not [b]"#)) {
            try Pointer("/a/[b]")
        }
        #expect(throws: FormatMistake.self) { try Pointer(String(repeating: "/a", count: 17)) }
    }

    @Test("A pointer declares exactly the members that it reads")
    func declaration() throws {
        var reader = RecordReader()
        for pointer in ["/name/given", "/Emails/[type=work]/value", "/phones/0"] {
            reader.add(try Pointer(pointer))
        }
        let json = #"""
            {"name": {"given": "A", "family": "secret"}, "emails": [{"type": "work", "value": "a@b.c", "note": "secret"}],
            "phones": ["1", "2"], "password": "secret"}
            """#
        let kept = reader.kept(of: try JSONValue(validating: Array(json.utf8), maximumDepth: 32))
        #expect(
            String(decoding: kept, as: UTF8.self)
                == #"{"name":{"given":"A"},"emails":[{"type":"work","value":"a@b.c"}],"phones":["1","2"]}"#)
    }
}
