import Cache
import Glibc
import Model
import SQLite
import Synchronization
import TestSupport
import Testing

@Suite struct ShortReadsTests {
    private let pool = ReaderPool([Database { try Connection(path: ":memory:", access: .readWriteCreate) }])
    private static let long =
        "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c WHERE x < 100000) SELECT count(*) FROM c"

    @Test("A read that takes many of SQLite's instructions is left to others")
    func instructions() async throws {
        let reads = ShortReads(pool)
        try await pool.run { _ in }
        #expect(try reads.read { try $0.firstInt("SELECT 7") } == 7)
        #expect(try reads.read { try $0.firstInt(Self.long) } == nil)
        #expect(try await pool.run { try $0.firstInt(Self.long) } == 100_000)
        #expect(throws: CacheError.noFacts) { try reads.read { _ in throw CacheError.noFacts } }
    }

    @Test("After a read that waited long, as for a cold disk, others are left to threads for a second")
    func slow() async throws {
        let meter = Mutex(ShortReads.Meter(time: .seconds(9), waits: 3))
        let reads = ShortReads(pool) { meter.withLock { $0 } }
        try await pool.run { _ in }
        func read(taking time: Duration = .zero, waits: Int = 0) throws -> Int? {
            try reads.read { _ in
                meter.withLock { $0 = ShortReads.Meter(time: $0.time + time, waits: $0.waits + waits) }
                return 1
            }
        }
        #expect(try read(taking: .milliseconds(1), waits: 1) == 1)
        #expect(try read(taking: .milliseconds(3)) == 1, "busy, not cold")
        #expect(try read(taking: .milliseconds(3), waits: 1) == 1)
        #expect(try read() == nil)
        meter.withLock { $0.time += .milliseconds(999) }
        #expect(try read() == nil)
        meter.withLock { $0.time += .milliseconds(1) }
        #expect(try read() == 1)
    }

    @Test("The meter counts a thread's waits")
    func meter() async throws {
        try await onThread {
            let before = ShortReads.Meter.now()
            // It returns when the child has ended.
            var child = pid_t()
            try #require(posix_spawn(&child, "/bin/true", nil, nil, [strdup("true"), nil], nil) == 0)
            try #require(waitpid(child, nil, 0) == child)
            let after = ShortReads.Meter.now()
            #expect(after.waits > before.waits && after.time > before.time)
        }
    }

    @Test(
        "Users are found, listed or missed now as they are later; a search and a long page are left to others"
    )
    func users() async throws {
        let directory = try TemporaryDirectory()
        let cache = try await openCache(directory.file("c/userd.db"))
        #expect(try cache.reader.userNow("user1") == nil, "no reader is open yet")
        try await cache.sync(users: (1...2000).map { user("\($0)") })
        _ = try await cache.reader.user("user1")
        #expect(try cache.reader.userNow("user1") == (try await cache.reader.user("user1")))
        #expect(throws: CacheError.notFound(key: "x")) { try cache.reader.userNow("x") }
        let few = UserQuery(limit: 20)
        #expect(try cache.reader.usersNow(few) == (try await cache.reader.users(few)))
        #expect(try cache.reader.usersNow(UserQuery(search: "ada", limit: 20)) == nil)
        #expect(try cache.reader.usersNow(UserQuery(limit: 2000)) == nil)
        await cache.close()
        #expect(try cache.reader.userNow("user1") == nil)
    }
}
