import Foundation
import Glibc
import Model
import TestSupport
import Testing

@Suite("Who looked at whom", .timeLimit(.hang))
struct LookedUpTests {
    private static let canary = "Xanthippe"

    @Test("Nothing that is looked up is in the log at any level, in the cache's files or in a recording")
    func lookedUp() async throws {
        try await onMachine { machine in
            let record = machine.file("a.har")
            let userd = try await machine.startUserd(
                ["record": record, "log_level": "trace", "paused": "true"])
            #expect(try await machine.sync(.users).phase == .loaded)
            let words = Self.canary
            for command in [
                ["search", words], ["search", words, "--output", "json"], ["show", words], ["team", words],
                ["org", words, "--up"], ["list", "--manager", words], ["list", "--department", words],
                ["picture", words, "--output", machine.file("p.png")], ["search", words, "--kind", "all"],
            ] {
                let ended = try await machine.userctl(command)
                #expect(ended.code == 1, "\(command): \(ended)")
            }
            userd.send(SIGTERM)
            #expect(try await userd.ended() == .exited(0))
            let log = userd.bytes(.errors)
            let files = [record] + ["", "-wal"].map { machine.database + $0 }
            let texts = [log] + files.compactMap { FileManager.default.contents(atPath: $0).map(Array.init) }
            #expect(texts.count >= 3 && String(decoding: log, as: UTF8.self).contains(" debug userd"))
            for text in texts {
                #expect(!String(decoding: text, as: UTF8.self).lowercased().contains(words.lowercased()))
            }
        }
    }
}
