import Browse
import CommandSupport
import Commands
import Diagnostics
import Model
import StrictJSON
import Testing

@Suite("The file of a bug report")
struct BugReportTests {
    private let report = BugReport(
        made: noon, versions: .init(userctl: "1", userd: nil, system: "Linux"),
        printedSettings: ["paused: true"],
        states: [], history: [], log: .init(source: "journal", lines: ["a \u{1B}[31m line"]))

    private func log(_ recording: String?) throws -> JSONValue {
        let har = try report.har(with: recording.map { Array($0.utf8) }, from: "a.har")
        let file = try JSONValue(validating: har, maximumDepth: 64)
        return try #require(file["log"])
    }

    @Test("Without a recording it is a HAR file with no entries")
    func alone() throws {
        let log = try log(nil)
        #expect(log["version"]?.string == "1.2")
        #expect(log["creator"]?["name"]?.string == "userctl")
        #expect(log["entries"]?.elements?.isEmpty == true)
        let told = try #require(log["_userd"])
        #expect(told["made"]?.string == "2026-03-04T12:00:00.000Z")
        #expect(told["printed_settings"]?.elements?.compactMap(\.string) == ["paused: true"])
        #expect(told["log"]?["lines"]?.elements?.compactMap(\.string) == ["a \u{1B}[31m line"])
    }

    @Test("A recording and its session's data are kept beside the report")
    func recorded() throws {
        let entries = #"[{"time": 1.50, "_x": "\u00e9"}]"#
        let log = try log(
            #"{"log": {"version": "1.2", "_userd": {"version": "0", "settings": {"paused": "true"}, "states": 1}, "entries": \#(entries), "comment": "c"}}"#
        )
        #expect(log["entries"]?.raw.elementsEqual(entries.utf8) == true)
        #expect(log["comment"]?.string == "c")
        #expect(log.members?.filter { $0.name == "_userd" }.count == 1)
        #expect(log["_userd"]?["version"]?.string == "0")
        #expect(log["_userd"]?["settings"]?["paused"]?.string == "true")
        #expect(log["_userd"]?["states"]?.elements?.isEmpty == true)
    }

    @Test(
        "A file that is not a recording is refused",
        arguments: [
            ("{\"log\": {", "a.har is not a recording: "), ("[]", "it has no log.entries"),
            ("{\"log\": {}}", "it has no log.entries"), ("{}", "it has no log.entries"),
            ("{\"log\": {\"entries\": []}}", "userd did not write it, so it may hold tokens"),
        ])
    func refused(recording: String, words: String) throws {
        let error = try #require(throws: CommandError.self) { try log(recording) }
        #expect(error.message.contains(words))
        #expect(error.status == .usage)
        #expect(error.advice.joined().contains("--no-recording"))
    }
}
