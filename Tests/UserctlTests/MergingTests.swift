import Model
import StrictJSON
import Testing
import UserdAPI
import Varlink

@testable import UserctlCommands

@Suite struct MergingTests {
    private func page(_ text: String) throws -> ReplyPage {
        try ReplyPage(RawReply(Array(text.utf8), to: .listUsers), records: "users")
    }

    private func merged(_ pages: [String]) throws -> String {
        var document = MergedDocument(records: "users")
        var bytes: [UInt8] = []
        for text in pages { bytes += document.add(try page(text)) }
        return String(decoding: bytes + document.end(), as: UTF8.self)
    }

    private let freshness = #""freshness":{"phase":"loaded","stale":false,"age":1.50}"#

    @Test func `pages become one document with the last one's total, cursor and freshness`() throws {
        let merged = try merged([
            #"{"users":[{"id":"1"},{"id":"2"}],"total":3,"next":"abc",\#(freshness)}"#,
            #"{"users":[{"id":"3"}],"total":4,\#(freshness)}"#,
        ])
        #expect(merged == #"{"users":[{"id":"1"},{"id":"2"},{"id":"3"}],"total":4,\#(freshness)}"# + "\n")
    }

    @Test func `a single page is unchanged`() throws {
        let text = #"{"users":[{"n":1.0e3,"x.y":"\u00e9]"}],"next":"c","total":9,\#(freshness)}"#
        #expect(try merged([text]) == text + "\n")
    }

    @Test func `empty pages leave no comma`() throws {
        let empty = #"{"users":[ ],"total":1,"next":"c",\#(freshness)}"#
        let full = #"{"users":[{"id":"1"}],"total":1,\#(freshness)}"#
        #expect(try merged([empty, full, empty]).hasPrefix(#"{"users":[{"id":"1"}],"#))
        #expect(try merged([empty]).hasPrefix(#"{"users":[],"#))
    }

    @Test func `a page knows its count, total and cursor`() throws {
        let page = try page(#"{"users":[{},{}],"total":7,"next":"c",\#(freshness)}"#)
        #expect(page.list.elements?.count == 2 && !page.isEmpty)
        #expect(page.total == 7)
        #expect(page.next == "c")
        #expect(page.freshness.age == 1.5)
    }

    @Test(arguments: ["[]", #"{"facts":[]}"#, #"{"users":{},"total":1}"#, #"{"users":[],"total":1}"#, "{"])
    func `an answer of another shape is refused`(text: String) {
        #expect(throws: InvalidReply.self) { try page(text) }
    }

    @Test func `invalid JSON is escaped for a terminal, too`() {
        let safe = terminalSafe(Array("{\"a\":\"\u{1B}[31m\r\"}\n".utf8))
        #expect(String(decoding: safe, as: UTF8.self) == #"{"a":"\u001b[31m\u000d"}"# + "\n")
    }

    @Test func `json for a terminal is equivalent and has no controls`() throws {
        let text = #"{"a":["é王👩\n"], "b": "x"# + "\u{7F}\u{9B}\u{202E}\u{2028}\u{E0041}" + "\"}\n"
        let safe = terminalSafe(Array(text.utf8))
        #expect(
            String(decoding: safe, as: UTF8.self)
                == #"{"a":["é王👩\n"], "b": "x\u007f\u009b\u202e\u2028\udb40\udc41"}"# + "\n")
    }
}
