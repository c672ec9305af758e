import Cache
import Foundation
import Migrations
import SQLite
import TestSupport
import Testing

@Suite("Examining a cache file")
struct CacheExaminationTests {
    let directory: TemporaryDirectory
    private var path: String { directory.file("userd.db") }
    private let known = migrations.count

    init() throws { directory = try TemporaryDirectory() }

    private func examine(within limit: Duration = .seconds(60)) async -> CacheExamination {
        await CacheExamination.of(path, within: limit)
    }

    @Test("An empty file is an absent cache")
    func empty() async throws {
        let path = directory.file("c.db")
        try Data().write(to: URL(filePath: path))
        await #expect(throws: CacheError.absent(path: path)) { try await openOffline(path) }
    }

    @Test("A sound cache is reported as sound, while userd has it open and afterwards")
    func sound() async throws {
        let cache = try await openCache(path)
        try await cache.sync(users: [user("1")])
        #expect(await examine() == .sound(schema: known))
        await cache.close()
        #expect(await examine() == .sound(schema: known))
    }

    @Test("Caches of other versions and files of other programs are distinguished and left unchanged")
    func versions() async throws {
        await (try openCache(path)).close()
        for (statement, finding) in [
            ("user_version = 999", .newer(schema: 999, known: known)),
            ("user_version = 1", .older(schema: 1, known: known)), ("application_id = 7", .foreign),
        ] as [(String, CacheExamination)] {
            let connection = try Connection(path: path, access: .readWrite)
            try connection.execute("PRAGMA \(statement)")
            connection.close()
            let before = try Data(contentsOf: URL(filePath: path))
            #expect(await examine() == finding)
            #expect(try Data(contentsOf: URL(filePath: path)) == before)
        }
    }

    @Test("An overwritten later page is damage, and a text file is not a database")
    func corrupt() async throws {
        let cache = try await openCache(path)
        try await cache.sync(users: (0..<2000).map { user("\($0)") })
        await cache.close()
        let good = try Data(contentsOf: URL(filePath: path))
        var bad = good
        let middle = good.count / 2 / 4096 * 4096
        bad.replaceSubrange(middle..<middle + 4096, with: Data(repeating: 0xAA, count: 4096))
        try bad.write(to: URL(filePath: path))
        if case .corrupt(let reason) = await examine() {
            #expect(!reason.isEmpty && !reason.contains("***") && !reason.contains("\n"))
        } else {
            Issue.record("\(await examine())")
        }
        let text = "not a database, but long enough to be taken for one of any kind"
        try Data(text.utf8).write(to: URL(filePath: path))
        #expect(await examine() == .noDatabase)
    }

    @Test("An examination that runs out of time is reported as unfinished, with the schema")
    func unfinished() async throws {
        await (try openCache(path)).close()
        let connection = try Connection(path: path, access: .readWrite)
        try connection.execute(
            """
            CREATE TABLE large AS WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c WHERE x < 200000)
            SELECT x, zeroblob(200) FROM c
            """)
        connection.close()
        #expect(await examine(within: .zero) == .unfinished(schema: known))
    }

    @Test("A missing file and a folder are unreadable, and an empty file is blank")
    func unreadable() async throws {
        #expect(await examine() == .unreadable("unable to open database file: \(path)"))
        try Data().write(to: URL(filePath: path))
        #expect(await examine() == .blank)
        guard case .unreadable = await CacheExamination.of(directory.path, within: .seconds(60)) else {
            Issue.record("a folder was read")
            return
        }
    }
}
