import Cache
import Foundation
import Glibc
import Model
import SQLite
import TestSupport
import Testing

@Suite("What is kept of a damaged cache")
struct KeptRowsTests {
    let directory: TemporaryDirectory
    let path: String

    init() throws {
        directory = try TemporaryDirectory()
        path = directory.file("c.db")
    }

    private func alter(_ sql: String) throws {
        let connection = try Connection(path: path, access: .readWrite)
        try connection.execute(sql)
        connection.close()
    }

    @Test(
        "One row that can't be read is not damage: it is left out, and unknown values stay as they are",
        arguments: [
            ("UPDATE transitions SET state = json_set(state, '$.cause', 'postponed')", ["postponed"]),
            (
                "UPDATE transitions SET state = json_set(state, '$.failure', json('{\"kind\": \"quota\", "
                    + "\"message\": \"m\", \"retryable\": true, \"attempts\": 1}'))", ["requested"]
            ),
            ("UPDATE transitions SET state = json_set(state, '$.phase', 'thinking')", []),
            ("UPDATE transitions SET state = '{'", []), ("UPDATE transitions SET state = ''", []),
            ("UPDATE resources SET list = '{', notes = '[]'", ["requested"]),
            ("UPDATE resources SET state = json_set(state, '$.cause', 'postponed')", ["requested"]),
            ("UPDATE user_records SET record = '{}'", ["requested"]),
        ] as [(String, [String])])
    func oneRow(sql: String, causes: [String]) async throws {
        let cache = try await openWatched(path)
        try await cache.sync(users: [user("1")])
        await cache.close()
        try alter(sql)
        let losses = Losses()
        let again = try await openWatched(path, losses)
        _ = try await again.writer.restore([.users: .seconds(60)], start)
        #expect(try await again.reader.history(nil, 200).map(\.cause.rawValue) == causes)
        let transitions = try await again.reader.transitions(after: 0, of: [.users], limit: 1)
        #expect(transitions.map(\.cause.rawValue) == causes)
        #expect(try await again.reader.users(UserQuery(search: "ada")).total == 1)
        _ = try? await again.reader.picture("1", nil)
        #expect(losses.list == [])
        try await again.sync(users: [user("1"), user("2")], number: 2)
        #expect(try await again.reader.history(nil, 200).count == causes.count + 1)
        await again.close()
        let connection = try Connection(path: path, access: .readOnly)
        if sql.contains("quota") {
            #expect(try connection.firstInt("SELECT 1 FROM transitions WHERE state LIKE '%quota%'") == 1)
        }
    }

    @Test("Unreadable transitions do not hide the readable ones behind them")
    func pagesOfHistory() async throws {
        let cache = try await openWatched(path)
        for number in 1...5 { try await cache.sync(users: [user("\(number)")], number: number) }
        try alter("UPDATE transitions SET state = '{' WHERE number IN (1, 2, 4)")
        #expect(try await cache.reader.history(nil, 2).map(\.index) == [5, 3])
        let transitions = try await cache.reader.transitions(after: 0, through: 5, of: [.users], limit: 2)
        #expect(transitions.map(\.index) == [3, 5])
        await cache.close()
    }

    /// Runs SQL without SQLite's protection of the tables of the search.
    private func corrupt(_ sql: String) async throws {
        let finished = try await TestSupport.run("/usr/bin/sqlite3", [path, sql], environment: [:])
        try #require(finished.code == 0, "\(finished)")
    }

    @Test(
        "Damaged indexes are rebuilt from the rows",
        arguments: [
            "DELETE FROM user_words_data WHERE id > 10", "DELETE FROM fact_words_data WHERE id > 10",
            "UPDATE user_words_data SET block = zeroblob(length(block)) WHERE id > 10",
        ])
    func indexes(sql: String) async throws {
        let cache = try await openWatched(path)
        try await cache.sync(users: (0..<300).map { user("\($0)", "Ada\($0)") })
        try await cache.sync(facts: [fact("1")], number: 2)
        let fresh = try await cache.ids(UserQuery(search: "ada11"))
        await cache.close()
        try await corrupt(sql)
        let losses = Losses()
        let damaged = try await openWatched(path, losses)
        _ = try? await damaged.ids(UserQuery(search: "ada11"))
        _ = try? await damaged.reader.facts(FactQuery(search: "cats"))
        #expect(losses.hasDamage)
        await damaged.close()
        try CacheLock(path: path).rebuildIndexes()
        let rebuilt = try await openWatched(path)
        #expect(try await rebuilt.ids(UserQuery(search: "ada11")) == fresh)
        #expect(try await rebuilt.reader.facts(FactQuery(search: "cats")).count == 1)
        #expect(try await rebuilt.reader.users(UserQuery()).total == 300)
        await rebuilt.close()
    }

    @Test(
        "No index is rebuilt where rows are damaged, and the file is left as it was",
        arguments: ["a state", "records"])
    func moreThanIndexes(damaged: String) async throws {
        let cache = try await openWatched(path)
        try await cache.sync(users: (0..<2000).map { user("\($0)", "Ada\(10_000 + $0)") })
        await cache.close()
        if damaged == "records" {
            // No client reads these records first.
            _ = try damagePages(of: [1000])
        } else {
            try alter("UPDATE resources SET state = '{}'")
        }
        let before = try Data(contentsOf: URL(filePath: path))
        #expect(throws: SQLiteError.self) { try CacheLock(path: path).rebuildIndexes() }
        #expect(try Data(contentsOf: URL(filePath: path)) == before)
    }

    /// Overwrites the pages that have the records of these users.
    /// - Returns: the ids of all users on these pages.
    private func damagePages(of ids: [Int]) throws -> Set<Int> {
        var content = try Data(contentsOf: URL(filePath: path))
        var lost: Set<Int> = []
        for id in ids {
            guard let place = content.range(of: Data(#""id":"\#(id)""#.utf8)) else { continue }
            let page = place.lowerBound / 4096 * 4096..<(place.lowerBound / 4096 + 1) * 4096
            let text = String(decoding: content[page], as: UTF8.self)
            for part in text.split(separator: #""id":""#).dropFirst() {
                if let id = Int(part.prefix { $0.isNumber }) { lost.insert(id) }
            }
            content.replaceSubrange(page, with: Data(repeating: 0xA5, count: 4096))
        }
        try content.write(to: URL(filePath: path))
        chmod(path, 0o600)
        return lost
    }

    @Test(
        "What can be read of the users of a damaged cache is copied, with its source and its time",
        arguments: [[1000], [0], [1999], [0, 500, 501, 1000, 1300, 1999], Array(0..<2000)])
    func restored(damaged: [Int]) async throws {
        let cache = try await openWatched(path)
        try await cache.writer.beginStaging(.users, 1)
        _ = try await cache.writer.stageUsers(
            Page(records: (0..<2000).map { user("\($0)", "Ada\(10_000 + $0)") }), 1, 1)
        _ = try await cache.writer.commit(.users, 1, .atOnce) { rows in
            var done = change(.users, .loaded, count: rows.after, syncedAt: start)
            done.resource.source = "https://example.org/"
            return done
        }
        await cache.close()
        let lost = try damagePages(of: damaged)
        #expect(lost.isSuperset(of: damaged))
        let new = try await openCache(directory.file("new.db"), epoch: "epoch-2")
        let users = try await new.writer.restoreUsers(path, start)
        #expect(users.restored == 2000 - lost.count && users.total == 2000)
        let found = Set(try await new.allIDs(UserQuery()).compactMap { Int($0) })
        #expect(found == Set(0..<2000).subtracting(lost))
        let saved = try await new.reader.resources()[.users]
        #expect(saved?.source == (found.isEmpty ? nil : "https://example.org/"))
        #expect(saved?.state.syncedAt == (found.isEmpty ? nil : start))
        #expect(saved?.state.count == (found.isEmpty ? nil : found.count))
        if let id = found.min() {
            #expect(try await new.ids(UserQuery(search: "ada\(10_000 + id)")) == ["\(id)"])
        }
        // The next sync goes on from there.
        let rows = try await new.sync(users: (0..<2000).map { user("\($0)", "Ada\(10_000 + $0)") }, number: 3)
        #expect(rows.added == lost.count && rows.changed == 0 && rows.removed == 0)
        await new.close()
    }
}
