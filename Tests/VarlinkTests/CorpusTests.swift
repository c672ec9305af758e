import Foundation
import Fuzzing
import Testing
import VarlinkFixtures

/// Runs inputs that fuzzers found, without a fuzzer.
@Suite struct CorpusTests {
    @Test("Every input of the fuzzing corpus keeps the invariants", arguments: FuzzTarget.allCases)
    func corpus(target: FuzzTarget) throws {
        let tests = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        let files = try FileManager.default.contentsOfDirectory(
            at: tests.appending(path: "Fuzzing/Corpus/\(target.rawValue)"), includingPropertiesForKeys: nil)
        try #require(!files.isEmpty)
        for file in files {
            let input = try Data(contentsOf: file)
            #expect(throws: Never.self, "\(file.lastPathComponent)") { try target.run(Array(input)) }
        }
    }

    @Test("Every dialogue keeps the invariants")
    func dialogues() {
        for dialogue in Dialogue.all where !dialogue.isLong {
            #expect(throws: Never.self, "\(dialogue)") { try FuzzTarget.connection.run(dialogue.input) }
        }
    }
}
