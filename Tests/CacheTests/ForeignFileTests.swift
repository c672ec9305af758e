import Cache
import Foundation
import TestSupport
import Testing

@Suite("Files of other programs")
struct ForeignFileTests {
    let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    @Test("At a path that a person has named, only a database, an empty file or one with a lock is a cache")
    func foreign() async throws {
        let rows: [(name: String, bytes: [UInt8]?, hasLock: Bool, isCache: Bool)] = [
            ("none", nil, false, true), ("empty", [], false, true), ("one", [65], false, false),
            ("text", Array(repeating: 65, count: 5000), false, false),
            ("like", Array("SQLite format 3 ".utf8), false, false),
            ("damaged", Array(repeating: 65, count: 5000), true, true),
        ]
        for (name, bytes, hasLock, isCache) in rows {
            let path = directory.file(name)
            try bytes.map { try Data($0).write(to: URL(filePath: path)) }
            if hasLock { try Data().write(to: URL(filePath: path + ".lock")) }
            let result = Result { _ = try CacheLock(path: path, isNamed: true) }
            #expect(((try? result.get()) != nil) == isCache, "\(name): \(result)")
            if !isCache { #expect(!FileManager.default.fileExists(atPath: path + ".lock")) }
            _ = try CacheLock(path: path)
        }
    }
}
