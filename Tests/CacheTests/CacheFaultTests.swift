import Cache
import Foundation
import Model
import SQLite
import TestSupport
import Testing

@Suite("A cache that is damaged or has no space")
struct CacheFaultTests {
    let directory: TemporaryDirectory
    let path: String

    init() throws {
        directory = try TemporaryDirectory()
        path = directory.file("c.db")
    }

    private let crowd = (0..<200).map { user("\($0)", "F\($0)", String(repeating: "L", count: 200)) }

    /// Reads the whole cache. Returns false after a `CacheError`; any other error is a failure.
    private func readAll(_ reader: CacheReader) async throws -> Bool {
        do {
            for order in UserOrder.allCases { _ = try await pages(reader, UserQuery(order: order)) }
            _ = try await pages(reader, UserQuery(search: "f"))
            _ = try await reader.user("user7")
            _ = try await reader.facts(FactQuery(search: "cats"))
            _ = try await reader.resources()
            _ = try await reader.history(nil, 10)
            return true
        } catch is CacheError {
            return false
        }
    }

    private func pages(_ reader: CacheReader, _ query: UserQuery) async throws -> Int {
        var cursor: String?
        var count = 0
        repeat {
            let page = try await reader.users(query.from(cursor))
            count += page.count
            cursor = page.next
        } while cursor != nil && count < 10_000
        return count
    }

    @Test("A commit on a full disk fails and changes nothing, and the next one that fits succeeds")
    func full() async throws {
        let cache = try await openCache(path) { try $0.execute("PRAGMA max_page_count = 90") }
        try await cache.sync(users: [user("1")])
        let error = await #expect(throws: CacheError.self) {
            try await cache.sync(users: crowd, number: 2)
        }
        #expect("\(try #require(error))".contains("database or disk is full"))
        #expect(try await cache.ids(UserQuery()) == ["1"])
        #expect(try await cache.ids(UserQuery(search: "ada")) == ["1"])
        #expect(try await cache.reader.history(nil, 10).map(\.index) == [1])
        try await cache.sync(users: [user("2")], number: 3)
        #expect(try await cache.ids(UserQuery()) == ["2"])
        #expect(try await cache.reader.history(nil, 10).map(\.index) == [2, 1])
        await cache.close()
    }

    @Test("A large commit leaves no large log and no large staging area")
    func log() async throws {
        let cache = try await openCache(path)
        try await cache.sync(users: crowd)
        #expect(try size(path) > 100_000)
        #expect(try size(path + "-wal") == 0)
        await cache.close()
    }

    @Test(
        "A file that is cut or overwritten while it is open gives errors, never a crash",
        arguments: [0, 100, 4096, 50_000, nil])
    func overwritten(length: Int?) async throws {
        let cache = try await openCache(path)
        try await cache.sync(users: crowd)
        try await cache.sync(facts: [fact("1")])
        if let length {
            #expect(truncate(path, length) == 0)
        } else {
            let file = try FileHandle(forWritingTo: URL(filePath: path))
            try file.write(contentsOf: Data(repeating: 0xA5, count: size(path)))
            try file.close()
        }
        _ = try await readAll(cache.reader)
        do {
            try await cache.sync(users: [user("1")], number: 2)
            _ = try await cache.writer.addFact(fact("2"))
        } catch is CacheError {}
        _ = try await readAll(cache.reader)
        await cache.close()
        try? FileManager.default.removeItem(atPath: path)
        let anew = try await openCache(path)
        try await anew.sync(users: [user("1")])
        #expect(try await anew.ids(UserQuery()) == ["1"])
        await anew.close()
    }

    @Test(
        "The cache of a killed daemon is read completely, with or without its shared memory",
        arguments: [false, true])
    func leftBehind(hasSharedMemory: Bool) async throws {
        let cache = try await openCache(path)
        try await cache.sync(users: crowd)
        _ = try await cache.writer.record(change(.users, .syncing))
        let copy = directory.file("copy.db")
        for suffix in ["", "-wal"] + (hasSharedMemory ? ["-shm"] : []) {
            try FileManager.default.copyItem(atPath: path + suffix, toPath: copy + suffix)
        }
        let offline = try await openOffline(copy)
        #expect(try await offline.allUsers(UserQuery()).count == crowd.count)
        #expect(try await offline.history(nil, 10).count == 2)
        await offline.close()
        let anew = try await openCache(copy)
        #expect(try await anew.reader.history(nil, 10).count == 2)
        await anew.close()
        await cache.close()
    }

    @Test("Removing the shared memory of a running daemon loses no commit")
    func sharedMemoryRemoved() async throws {
        let cache = try await openCache(path)
        try await cache.sync(users: crowd)
        try FileManager.default.removeItem(atPath: path + "-shm")
        #expect(try await cache.reader.allUsers(UserQuery()).count == crowd.count)
        await cache.close()
        let anew = try await openCache(path)
        #expect(try await anew.reader.allUsers(UserQuery()).count == crowd.count)
        await anew.close()
    }

    @Test("Flipped bits give errors or other text, never a crash")
    func flippedBits() async throws {
        let cache = try await openCache(path)
        try await cache.sync(users: Array(crowd.prefix(60)))
        try await cache.sync(facts: (0..<20).map { fact("\($0)") })
        await cache.close()
        let whole = try Data(contentsOf: URL(filePath: path))
        var random = SeededRandom(seed: 9)
        var refused = 0
        for number in 0..<50 {
            let copy = directory.file("copy\(number).db")
            var damaged = whole
            // Only structure bytes of pages: most others are text, and any text is valid.
            let page = Int.random(in: 0..<whole.count / 4096, using: &random) * 4096
            for _ in 0..<4 {
                damaged[page + .random(in: 0..<100, using: &random)] ^=
                    1 << UInt8.random(in: 0..<8, using: &random)
            }
            try damaged.write(to: URL(filePath: copy))
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: copy)
            do {
                let offline = try await openOffline(copy)
                if try await !readAll(offline) { refused += 1 }
                await offline.close()
                let damagedCache = try await openCache(copy)
                if try await !readAll(damagedCache.reader) { refused += 1 }
                try await damagedCache.sync(users: crowd.suffix(5), number: 2)
                try await damagedCache.sync(facts: [fact("new")], number: 2)
                await damagedCache.close()
            } catch is CacheError {
                refused += 1
            }
        }
        #expect(refused > 10)
    }

    @Test("A state that can't be read is an error, not a crash")
    func rubbishStates() async throws {
        let cache = try await openCache(path)
        try await cache.sync(users: [user("1")])
        let connection = try Connection(path: path, access: .readWrite)
        // Both resources claim to be the users.
        try connection.run(
            """
            INSERT INTO resources (resource, state, before, interval_ms)
            SELECT 'other', state, before, interval_ms FROM resources
            """)
        #expect(try await cache.ids(UserQuery()) == ["1"])
        try connection.run("UPDATE resources SET state = '{}'")
        let error = await #expect(throws: CacheError.self) { try await cache.reader.resources() }
        #expect("\(try #require(error))".contains("damaged"))
        await cache.close()
    }

    @Test("A path where no file can be made is reported with the reason")
    func noPlace() async throws {
        try Data().write(to: URL(filePath: directory.file("file")))
        for (path, words) in [
            (directory.file("file/c.db"), "is not a directory"), ("/proc/none/c.db", "can't be created"),
        ] {
            let error = await #expect(throws: CacheError.self) { try await openCache(path) }
            #expect("\(try #require(error))".contains(words))
        }
    }

    private func size(_ path: String) throws -> Int {
        try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int ?? 0
    }
}
