import MockDaemon
import Model
import Testing
import UserdAPI

@testable import UserctlCommands

@Suite struct IndentationTests {
    private func indented(_ json: String, pieces: Int = 1) -> String {
        var indenter = JSONIndenter()
        let bytes = Array(json.utf8)
        let size = max(1, bytes.count / pieces)
        let lines = stride(from: 0, to: bytes.count, by: size).flatMap {
            indenter.indented(Array(bytes[$0..<min($0 + size, bytes.count)]))
        }
        return String(decoding: lines, as: UTF8.self)
    }

    @Test func `each value has a line, and empty ones stay on theirs`() {
        let json = #"{"a":[1,-2.5,{"b":null}],"c":{},"d":[ ],"e":"x"}"# + "\n"
        #expect(
            indented(json) == """
                {
                  "a": [
                    1,
                    -2.5,
                    {
                      "b": null
                    }
                  ],
                  "c": {},
                  "d": [],
                  "e": "x"
                }

                """)
    }

    @Test(arguments: [1, 2, 7, 1000])
    func `strings are left as they are, wherever a piece ends`(pieces: Int) {
        let json = #"["a, b: {[\"}]\\","\\\"","é  ö\n"]"#
        #expect(
            indented(json, pieces: pieces) == #"""
                [
                  "a, b: {[\"}]\\",
                  "\\\"",
                  "é  ö\n"
                ]
                """#)
    }

    @Test func `only a terminal gets documents in lines, and lines stay lines`() async throws {
        let userd = UserdClient.mock(now: { noon })
        for command in [["status"], ["list"], ["history"], ["facts"]] {
            let file = await userctl(command + ["-o", "json"], userd: userd)
            let terminal = await userctl(command + ["-o", "json"], userd: userd, width: 80)
            #expect(file.output.split(separator: "\n").count == 1, "\(command)")
            // The states hold no text that a terminal would obey.
            if command == ["status"] { #expect(terminal.output == indented(file.output)) }
            #expect(terminal.output.hasPrefix("{\n  \""), "\(command)")
            let lines = await userctl(command + ["-o", "ndjson"], userd: userd, width: 80)
            #expect(lines.output.split(separator: "\n").allSatisfy { $0.hasPrefix("{") }, "\(command)")
        }
    }
}
