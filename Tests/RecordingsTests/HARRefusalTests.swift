import Foundation
import Glibc
import HTTP
import Model
import TestSupport
import Testing

@Suite("HAR files that cannot be read")
struct HARRefusalTests {
    private func refusal(_ har: some StringProtocol) throws -> String {
        "\(try #require(#expect(throws: HARError.self) { _ = try Recording(har: Array(har.utf8)) }))"
    }

    /// A file of two entries; these replace members of the second.
    private func file(_ members: [String: String]) -> String {
        let usual = [
            "startedDateTime": #""2026-01-02T03:04:05.678Z""#, "time": "1",
            "request": #"{"method":"GET","url":"http://a.example/","headers":[]}"#,
            "response": #"{"status":200,"headers":[],"content":{"text":""}}"#,
        ]
        func entry(_ members: [String: String]) -> String {
            "{" + members.map { "\"\($0)\":\($1)" }.joined(separator: ",") + "}"
        }
        return #"{"log":{"version":"1.2","entries":[\#(entry(usual)),"#
            + entry(usual.merging(members) { $1 }) + "]}}"
    }

    @Test("A file that is not valid JSON is refused with the line and the column")
    func noJSON() throws {
        #expect(try refusal("") == "line 1, column 1: not valid JSON: no value")
        #expect(
            try refusal("<html>\n</html>")
                == "line 1, column 1: not valid JSON: expected a value, found <")
        #expect(
            try refusal("{\"log\":\n{\"entries\":[1,]}}")
                == "line 2, column 14: not valid JSON: trailing comma before ]")
        #expect(try refusal(String(repeating: "[", count: 600)).hasSuffix("nested deeper than 512"))
    }

    @Test("A truncated file is refused with the line and the column", arguments: 1..<12)
    func truncated(twelfths: Int) throws {
        let whole = file([:])
        #expect(throws: Never.self) { try Recording(har: Array(whole.utf8)) }
        #expect(try refusal(whole.prefix(whole.count * twelfths / 12)).contains("line 1, column "))
    }

    @Test(
        "A JSON file that is not HAR is refused with its difference",
        arguments: [
            ("[1]", "expected an object, found a list"), ("{}", "log: missing: this is JSON, but not HAR"),
            (#"{"log":5}"#, "log: missing: this is JSON, but not HAR"),
            (#"{"log":{}}"#, "log.entries: missing"),
            (#"{"log":{"entries":{}}}"#, "log.entries: expected a list, found an object"),
            (
                #"{"log":{"version":"2.0","entries":[]}}"#,
                #"log.version: "2.0" is not supported; expected 1.1 or 1.2"#
            ),
            (
                #"{"log":{"_userd":{"version":5},"entries":[]}}"#,
                "log._userd.version: expected a string, found a number"
            ),
            (#"{"log":{"_userd":[],"entries":[]}}"#, "log._userd: expected an object, found a list"),
            (#"{"log":{"_userd":{"settings":{}},"entries":[]}}"#, "log._userd.version: missing"),
            (
                #"{"log":{"_userd":{"version":"1","settings":[]},"entries":[]}}"#,
                "log._userd.settings: expected an object, found a list"
            ),
            (
                #"{"log":{"_userd":{"version":"1","settings":{"users.url":[]}},"entries":[]}}"#,
                "log._userd.settings.users.url: expected a string, found a list"
            ),
            (
                #"{"log":{"_userd":{"version":"1","settings":{"\u001b]0;x\u0007":[]}},"entries":[]}}"#,
                #"log._userd.settings.\u{1b}]0;x\u{7}: expected a string, found a list"#
            ),
            (
                #"{"log":{"_userd":{"version":"1","truncated":"no"},"entries":[]}}"#,
                "log._userd.truncated: expected a boolean, found a string"
            ),
            (
                #"{"log":{"_userd":{"version":"1"},"entries":[{"request":{"url":"data:,"}}]}}"#,
                "log.entries[0].request.url: invalid address: data:,"
            ),
        ])
    func foreign(har: String, reason: String) throws {
        #expect(try refusal(har) == reason)
    }

    @Test(
        "An invalid entry is refused with its place and the reason",
        arguments: [
            ("response", #"{"status":"200"}"#, ".response.status: expected a number, found a string"),
            ("response", #"{"status":1000}"#, ".response.status: out of range"),
            ("response", "null", ".response: null"),
            (
                "response", #"{"status":200,"content":{"text":"?","encoding":"base64"}}"#,
                ".response.content.text: invalid base64"
            ),
            (
                "response", #"{"status":200,"content":{"text":"","encoding":"rot13"}}"#,
                #".response.content.encoding: "rot13" is not supported; expected base64"#
            ),
            (
                "response", #"{"status":200,"content":{"text":5}}"#,
                ".response.content.text: expected a string, found a number"
            ),
            (
                "response", #"{"status":0,"_failure":{"kind":"tired","message":""}}"#,
                ".response._failure.kind: unknown kind of failure"
            ),
            ("request", #"{"method":"GET"}"#, ".request.url: missing"),
            (
                "request",
                #"{"method":"GET","url":"http://a.example/","headers":[{"name":"a"},{"value":"b"}]}"#,
                ".request.headers[1].name: missing"
            ),
            ("request", #"{"method":"GET","url":"http://"}"#, ".request.url: invalid address: http://"),
            ("request", #"{"method":"GET","url":""}"#, ".request.url: invalid address: "),
            (
                "request", #"{"method":"GET","url":"/api/?results=1"}"#,
                ".request.url: invalid address: /api/?results=1"
            ),
            ("request", #"{"method":"GET","url":"a b:c"}"#, ".request.url: invalid address: a b:c"),
            (
                "request", #"{"method":"GET","url":"http:a.example"}"#,
                ".request.url: invalid address: http:a.example"
            ),
            (
                "startedDateTime", #""yesterday""#,
                ".startedDateTime: expected a time such as 2026-01-02T03:04:05.678Z"
            ),
            (
                "response",
                #"{"status":0,"_failure":{"kind":"offline","message":"","retryable":1}}"#,
                ".response._failure.retryable: expected a boolean, found a number"
            ),
            ("time", #""5""#, ".time: expected a number, found a string"),
        ])
    func entries(member: String, value: String, reason: String) throws {
        #expect(try refusal(file([member: value])) == "log.entries[1]" + reason)
    }

    @Test(
        "Requests of a browser to addresses other than http and https are left out",
        arguments: [
            "data:image/png;base64,AA==", "blob:https://a.example/1", "ws://a.example/", "WSS://a.example/",
            "chrome-extension://abc/a.js", "about:blank", "x-1.2+y:z",
        ])
    func otherSchemes(url: String) throws {
        let recording = try Recording(
            har: Array(file(["request": #"{"method":"GET","url":"\#(url)"}"#]).utf8))
        #expect(recording.exchanges.count == 1)
    }

    @Test("Too many entries or headers are refused")
    func tooMany() throws {
        let entries = String(repeating: "{},", count: 100_000) + "{}"
        #expect(try refusal(#"{"log":{"entries":[\#(entries)]}}"#) == "log.entries: more than 100000 entries")
        let settings = (0...1000).map { "\"s\($0)\":\"\"" }.joined(separator: ",")
        #expect(
            try refusal(#"{"log":{"_userd":{"version":"1","settings":{\#(settings)}},"entries":[]}}"#)
                == "log._userd.settings: more than 1000 members")
        let headers = String(repeating: "{},", count: 1000) + "{}"
        let request = #"{"method":"GET","url":"http://a.example/","headers":[\#(headers)]}"#
        #expect(
            try refusal(file(["request": request]))
                == "log.entries[1].request.headers: more than 1000 headers")
    }

    @Test("A missing, unreadable or too large file is refused by its name")
    func files() throws {
        let directory = try TemporaryDirectory()
        func refusal(_ path: String) throws -> String {
            "\(try #require(#expect(throws: HARError.self) { _ = try Recording(file: path) }))"
        }
        let (missing, fifo, large) = (
            directory.file("missing"), directory.file("fifo"), directory.file("large")
        )
        #expect(try refusal(missing) == "\(missing): cannot be read: No such file or directory")
        #expect(try refusal(directory.file("")) == "\(directory.file("")): is a directory")
        #expect(mkfifo(fifo, 0o600) == 0)
        #expect(try refusal(fifo) == "\(fifo): is not a regular file")
        #expect(try refusal("/dev/zero") == "/dev/zero: is not a regular file")
        try Data().write(to: URL(fileURLWithPath: large))
        #expect(truncate(large, 256 << 20 + 1) == 0)
        #expect(try refusal(large) == "\(large): is larger than 256 MiB")
        let damaged = directory.file("damaged\u{1B}[2J")
        try Data(#"{"log":"#.utf8).write(to: URL(fileURLWithPath: damaged))
        #expect(
            try refusal(damaged).hasSuffix(
                "damaged\\u{1b}[2J: line 1, column 8: not valid JSON: the text ends inside an object")
        )
    }
}
