import Foundation
import TestSupport
import Testing

@Suite("The words that reports without data may have", .timeLimit(.hang))
struct ReportWordsTests {
    @Test("They are those of userd's messages; `.ci/report-words` writes the list again")
    func current() async throws {
        let missing = try await run(
            URL(filePath: #filePath).appending(path: "../../../.ci/report-words").standardized.path,
            ["--check"], environment: ["PATH": "/usr/bin:/bin"])
        #expect(missing.code == 0, "\(missing.errors)")
        #expect(missing.output == "\n", "run .ci/report-words: it lacks these")
    }
}
