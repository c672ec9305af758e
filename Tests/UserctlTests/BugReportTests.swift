import Foundation
import Model
import StrictJSON
import TestSupport
import Testing

@testable import HTTP
@testable import UserctlCommands

@Suite("The file of a bug report")
struct BugReportTests {
    private let report = {
        var report = BugReport(made: noon, versions: .init(userctl: "1", system: "Linux"))
        report.printedSettings = ["paused: true"]
        report.log = .init(source: "journal", lines: ["a \u{1B}[31m line"])
        return report
    }()

    private func log(_ recording: Recording?) throws -> JSONValue {
        let file = try JSONValue(validating: report.har(with: recording), maximumDepth: 64)
        return try #require(file["log"])
    }

    @Test("A bug report without a recording is a HAR file without entries")
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

    @Test("A bug report keeps the recording unchanged, with the facts about its session")
    func recorded() throws {
        let exchange = Recording.Exchange(
            began: noon, took: .zero, url: try #require(URL(string: "https://a.example/")),
            outcome: .missing("a"))
        var recording = Recording(exchanges: [exchange], session: .init(version: "0"))
        recording.session?.settings = ["paused": "true"]
        let log = try log(recording)
        #expect(log["creator"]?["name"]?.string == "userd")
        #expect(log["_userd"]?["version"]?.string == "0")
        #expect(log["_userd"]?["settings"]?["paused"]?.string == "true")
        #expect(log["_userd"]?["states"]?.elements?.isEmpty == true)
        #expect(try Recording(har: report.har(with: recording)) == recording)
    }

    @Test(
        "A file that userd did not record is refused",
        arguments: [
            ("{\"log\": {", "a.har: line 1, column 10: not valid JSON"), ("[]", "expected an object"),
            ("{\"log\": {}}", "log.entries: missing"), ("{}", "log: missing"),
            ("{\"log\": {\"entries\": []}}", "was not recorded by userd, so it may contain tokens"),
        ])
    func refused(recording: String, words: String) throws {
        let directory = try TemporaryDirectory()
        try Data(recording.utf8).write(to: URL(filePath: directory.file("a.har")))
        let error = try #require(throws: CommandError.self) {
            try Recording(ofUserd: directory.file("a.har"))
        }
        #expect(error.message.contains(words), "\(error.message)")
        #expect(error.status == .usage)
        #expect(error.advice.joined().contains("--no-recording"))
    }
}
