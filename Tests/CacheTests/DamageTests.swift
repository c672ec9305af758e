import Cache
import Foundation
import Glibc
import Model
import SQLite
import TestSupport
import Testing

@Suite("Reports of damage to the cache")
struct DamageTests {
    let directory: TemporaryDirectory
    let path: String

    init() throws {
        directory = try TemporaryDirectory()
        path = directory.file("c.db")
    }

    /// Overwrites the file from an offset on.
    private func overwrite(from offset: Int) throws {
        let file = try FileHandle(forWritingTo: URL(filePath: path))
        let end = try Int(file.seekToEnd())
        try file.seek(toOffset: UInt64(offset))
        try file.write(contentsOf: Data(repeating: 0xA5, count: end - offset))
        try file.close()
    }

    private func isDamage(_ error: (any Error)?) -> Bool {
        if case CacheError.damaged? = error { true } else { false }
    }

    @Test("Damage is reported whether a read or a write finds it")
    func live() async throws {
        let losses = Losses()
        let cache = try await openWatched(path, losses)
        try await cache.sync(users: (0..<200).map { user("\($0)") })
        #expect(losses.list == [])
        try overwrite(from: 4096)
        let read = await #expect(throws: CacheError.self) { try await cache.reader.allUsers(UserQuery()) }
        #expect(isDamage(read))
        #expect(losses.hasDamage)
        await cache.close()

        try FileManager.default.removeItem(atPath: path)
        let others = Losses()
        let second = try await openWatched(path, others)
        try await second.sync(users: (0..<200).map { user("\($0)") })
        try overwrite(from: 0)
        // The writer keeps cached pages until another connection has written.
        let other = try? Connection(path: path, access: .readWrite)
        try? other?.execute("UPDATE cache SET paused = 1")
        await #expect(throws: CacheError.self) {
            for number in 2..<10 { try await second.sync(users: [user("\(number)", "New")], number: number) }
        }
        #expect(others.hasDamage)
        await second.close()
    }

    @Test("A saved state that can't be read is reported as damage", arguments: ["'{}'", "'{'", "json('[]')"])
    func state(_ value: String) async throws {
        let losses = Losses()
        let cache = try await openWatched(path, losses)
        try await cache.sync(users: [user("1")])
        let connection = try Connection(path: path, access: .readWrite)
        try connection.run("UPDATE resources SET state = \(value)")
        connection.close()
        let read = await #expect(throws: CacheError.self) { try await cache.reader.users(UserQuery()) }
        #expect(isDamage(read))
        #expect(losses.hasDamage)
        await cache.close()
        let again = await #expect(throws: CacheError.self) { try await openWatched(path) }
        #expect(isDamage(again))
    }

    @Test("A value of a wrong type is damage if an examination of the file agrees")
    func type() async throws {
        let first = try await openWatched(path)
        _ = try await first.writer.addFact(fact("1", String(repeating: "Cats sleep. ", count: 50)))
        let length = try await first.reader.facts(FactQuery()).records.count
        await first.close()
        let losses = Losses()
        let cache = try await openWatched(path, losses)
        // Makes the text a blob of the same bytes: https://www.sqlite.org/fileformat2.html#record_format
        func type(_ number: Int) -> Data { Data([0x80 | UInt8(number >> 7), UInt8(number & 0x7f)]) }
        var content = try Data(contentsOf: URL(filePath: path))
        var places: [Range<Data.Index>] = []
        var from = 0
        while let place = content.range(of: type(2 * length + 13), in: from..<content.count) {
            places.append(place)
            from = place.upperBound
        }
        #expect(places.count == 1)
        content.replaceSubrange(try #require(places.first), with: type(2 * length + 12))
        let file = try FileHandle(forWritingTo: URL(filePath: path))
        try file.write(contentsOf: content)
        try file.close()
        try await cache.writer.beginStaging(.users, 1)
        let written = await #expect(throws: CacheError.self) {
            try await cache.writer.commit(.users, 1, .atOnce) { _ in
                let constraint: Int32 = 19
                throw SQLiteError(code: constraint, message: "constraint failed")
            }
        }
        #expect(isDamage(written), "\(String(describing: written))")
        #expect(losses.hasDamage)
        let error = await #expect(throws: CacheError.self) { try await cache.reader.facts(FactQuery()) }
        #expect(isDamage(error), "\(String(describing: error))")
        #expect(losses.hasDamage)
        await cache.close()
    }

    enum Fault: CaseIterable { case header, text, format, half, schema, firstPages }

    @Test(
        "Opening finds damage in the first reads, and leaves the file unchanged",
        arguments: Fault.allCases)
    func opening(_ fault: Fault) async throws {
        let cache = try await openWatched(path)
        try await cache.sync(users: (0..<2000).map { user("\($0)") })
        await cache.close()
        switch fault {
        case .header: try overwrite(from: 0)
        case .text:
            try Data("No database, but long enough to be looked at as one.".utf8).write(
                to: URL(filePath: path))
        case .format:
            let file = try FileHandle(forWritingTo: URL(filePath: path))
            try file.seek(toOffset: 18)
            try file.write(contentsOf: Data([3]))
            try file.close()
        case .half:
            #expect(truncate(path, try Data(contentsOf: URL(filePath: path)).count / 8192 * 4096) == 0)
        case .schema:
            let connection = try Connection(path: path, access: .readWrite)
            try connection.execute("DROP TABLE facts")
            connection.close()
        case .firstPages: try overwrite(from: 4096)
        }
        chmod(path, 0o600)
        let before = try Data(contentsOf: URL(filePath: path))
        let error = await #expect(throws: CacheError.self) { try await openWatched(path) }
        #expect(isDamage(error), "\(String(describing: error))")
        #expect(try Data(contentsOf: URL(filePath: path)).count == before.count)
    }

    @Test("A cache that can't be migrated is not damage: the file is left unchanged")
    func refused() async throws {
        let cache = try await openWatched(path)
        try await cache.sync(users: [user("1")])
        await cache.close()
        let connection = try Connection(path: path, access: .readWrite)
        // The tables of the second and later migrations exist already.
        try connection.execute("PRAGMA user_version = 1; ALTER TABLE pages RENAME TO others")
        connection.close()
        let before = try Data(contentsOf: URL(filePath: path))
        let losses = Losses()
        let error = await #expect(throws: CacheError.self) { try await openWatched(path, losses) }
        guard case .unusable(path, let reason, let advice) = try #require(error) else {
            throw try #require(error)
        }
        #expect(reason.hasPrefix("this cache has schema 1, and can't be migrated to "))
        #expect(reason.contains("already exists"))
        #expect(advice.contains("install the earlier userd, or remove it to sync again"))
        #expect(try Data(contentsOf: URL(filePath: path)) == before)
        #expect(losses.list == [])
    }

    @Test("A damaged cache is set aside with its log, earlier copies stay, and the new cache is empty")
    func setAside() async throws {
        let kept = try setAside(at: "01:00:00.5", "02:00:00.5", "02:00:00.9")
        #expect(kept == ["010000", "020000", "020001"].map { "\(path).damaged-20260131T\($0)Z" })
        #expect(SetAside.all(of: path).map(\.path) == kept)
        #expect(SetAside.all(of: path).last?.time == "2026-01-31T02:00:01Z")
        for (number, copy) in kept.enumerated() {
            for suffix in ["", "-wal", "-shm"] {
                #expect(try String(contentsOfFile: copy + suffix, encoding: .utf8) == "\(number)")
            }
        }
        let cache = try await openWatched(path)
        #expect(try await cache.ids(UserQuery()) == [])
        await cache.close()
    }

    @Test("Set-aside files stay until a commit changes rows; then only the newest stays")
    func committed() async throws {
        let kept = try setAside(at: "01:00:00", "02:00:00", "03:00:00")
        let cache = try await openWatched(path)
        try await cache.sync(users: [])
        #expect(SetAside.all(of: path).map(\.path) == kept)
        try await cache.sync(users: [user("1")], number: 2)
        #expect(SetAside.all(of: path).map(\.path) == Array(kept.suffix(1)))
        let left = try FileManager.default.contentsOfDirectory(atPath: parentPath)
        #expect(left.count { $0.contains(".damaged-") } == 3)
        await cache.close()
    }

    @Test("The newest set-aside file is none that a clock which was ahead has named")
    func ahead() async throws {
        let kept = try setAside(at: "23:00:00", "02:00:00", "01:00:00")
        let now = try #require(Timestamp(rfc3339: "2026-01-31T03:00:00Z"))
        let cache = try await openCache(path, now: now)
        try await cache.sync(users: [user("1")])
        #expect(SetAside.all(of: path).map(\.path) == [kept[1]])
        await cache.close()
    }

    /// Makes set-aside files, each with the index of its time as content.
    private func setAside(at times: String...) throws -> [String] {
        let lock = try CacheLock(path: path)
        return try times.enumerated().map { number, time in
            for suffix in ["", "-wal", "-shm"] {
                try Data("\(number)".utf8).write(to: URL(filePath: path + suffix))
            }
            let time = try #require(Timestamp(rfc3339: "2026-01-31T\(time)Z"))
            return try lock.setAside(at: time)
        }
    }

    private var parentPath: String { directory.file("") }

    @Test("A removed log is reported at the next check; closing the cache keeps its content")
    func logRemoved() async throws {
        let losses = Losses()
        let cache = try await openWatched(path, losses)
        try await cache.sync(users: [user("1")])
        _ = try await cache.writer.addFact(fact("1"))
        try await cache.writer.refuseGone()
        #expect(losses.list == [])
        try FileManager.default.removeItem(atPath: path + "-wal")
        try await cache.writer.refuseGone()
        #expect(losses.list == [.logRemoved])
        await cache.close()
        let anew = try await openWatched(path)
        #expect(try await anew.reader.facts(FactQuery()).count == 1)
        await anew.close()
    }

    @Test(
        "A sync that lost its staged records with the connection fails, and the next one works"
    )
    func reopened() async throws {
        let cache = try await openWatched(path)
        try await cache.writer.beginStaging(.users, 1)
        _ = try await cache.writer.stageUsers(Page(records: [user("1")]), 1, 1)
        try await cache.writer.beginStaging(.facts, 2)
        _ = try await cache.writer.commit(.users, 1, .atOnce) { rows in
            change(.users, .loaded, count: rows.after, syncedAt: start)
        }
        await #expect(throws: CacheError.self) {
            try await cache.writer.commit(.facts, 2, .atOnce) { _ in
                throw SQLiteError(code: SQLiteError.failedSync, message: "disk I/O error")
            }
        }
        let error = await #expect(throws: CacheError.self) { try await cache.commit(.facts, 2) }
        #expect("\(try #require(error))".contains("had to be reopened"))
        try await cache.sync(facts: [fact("1")], number: 3)
        #expect(try await cache.ids(UserQuery()) == ["1"])
        #expect(try await cache.reader.facts(FactQuery()).count == 1)
        await cache.close()
    }
}
