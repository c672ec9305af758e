import Cache
import Foundation
import Glibc
import Model
import SQLite
import Synchronization
import TestSupport
import Testing

@Suite("A cache that temporarily can't be written")
struct UnwritableTests {
    let directory: TemporaryDirectory
    let path: String

    init() throws {
        directory = try TemporaryDirectory()
        path = directory.file("c.db")
    }

    @Test("A daemon without write permission reads, and writes once it has permission")
    func lockedAtStart() async throws {
        let first = try await openCache(path)
        try await first.sync(users: [user("1")])
        _ = try await first.writer.restore([.users: .seconds(60)], start)
        await first.close()
        let isLocked = Atomic(true)
        let cache = try await Cache.live(
            path: path, newEpoch: "other", now: { start }, random: { $0.lowerBound }
        ) {
            $0.readers = 2
            $0.lock = { if isLocked.load(ordering: .relaxed) { throw CacheError.storage("locked") } }
        }
        #expect(try await cache.ids(UserQuery()) == ["1"])
        let restored = try await cache.writer.restore([.users: .seconds(90)], start)
        #expect(restored.epoch == "epoch-1" && restored.lastIndex == 1)
        #expect(restored.resources[.users]?.interval == .seconds(60))
        await #expect(throws: CacheError.storage("locked")) { try await cache.writer.requireWritable() }
        isLocked.store(false, ordering: .relaxed)
        try await cache.writer.requireWritable()
        try await cache.sync(users: [user("2")], number: 2)
        #expect(try await cache.ids(UserQuery()) == ["2"])
        await cache.close()
    }

    @Test("A daemon without write permission does not begin a cache")
    func nothingToRead() async throws {
        await #expect(throws: CacheError.storage("locked")) {
            try await Cache.live(
                path: path, newEpoch: "e", now: { start }, random: { $0.lowerBound }
            ) {
                $0.lock = { throw CacheError.storage("locked") }
            }
        }
    }

    @Test(
        "Without space for the log's index, userd and userctl still read all rows", arguments: [true, false])
    func noRoom(hasLog: Bool) async throws {
        try #require(geteuid() == 0, "this test has to run as root")
        let whole = directory.file("whole.db")
        let first = try await openCache(whole)
        try await first.sync(users: (0..<40).map { user("\($0)") })
        if hasLog { _ = try await first.writer.record(change(.users, .syncing)) }
        let folder = directory.file("full")
        mkdir(folder, 0o700)
        try #require(mount("tmpfs", folder, "tmpfs", 0, "mode=700,size=2m") == 0)
        defer { umount2(folder, Int32(MNT_DETACH)) }
        let copy = folder + "/c.db"
        for suffix in ["", "-wal"] where hasLog || suffix.isEmpty {
            try FileManager.default.copyItem(atPath: whole + suffix, toPath: copy + suffix)
        }
        chmod(copy, 0o600)
        await first.close()
        try fill(folder)
        let offline = try await openOffline(copy)
        #expect(try await offline.allUsers(UserQuery()).count == 40)
        #expect(try await offline.history(nil, 10).count == (hasLog ? 2 : 1))
        await offline.close()

        let cache = try await openCache(copy)
        #expect(try await cache.reader.allUsers(UserQuery()).count == 40)
        _ = try await cache.writer.restore([.users: .seconds(1)], start)
        await #expect(throws: CacheError.self) { try await cache.writer.requireWritable() }
        #expect(try await cache.reader.history(nil, 10).count == (hasLog ? 2 : 1))
        unlink(folder + "/filler")
        try await cache.sync(users: [user("new")], number: 2)
        #expect(try await cache.ids(UserQuery()) == ["new"])
        await cache.close()
    }

    @Test("A cache in a read-only folder is read with its log, and written once the folder is writable")
    func readOnlyFolder() async throws {
        try #require(geteuid() == 0, "this test has to run as root")
        let folder = directory.file("folder")
        mkdir(folder, 0o700)
        let whole = folder + "/whole.db"
        let first = try await openCache(whole)
        try await first.sync(users: [user("1")])
        _ = try await first.writer.record(change(.users, .syncing))
        let copy = folder + "/c.db"
        for suffix in ["", "-wal"] {
            try FileManager.default.copyItem(atPath: whole + suffix, toPath: copy + suffix)
        }
        chmod(copy, 0o600)
        await first.close()
        try #require(mount(folder, folder, nil, UInt(MS_BIND), nil) == 0)
        defer { umount2(folder, Int32(MNT_DETACH)) }
        try #require(mount(nil, folder, nil, UInt(MS_BIND | MS_REMOUNT | MS_RDONLY), nil) == 0)
        let lock = try CacheLock(path: copy)
        let cache = try await Cache.live(
            path: copy, newEpoch: "other", now: { start }, random: { $0.lowerBound }
        ) {
            $0.readers = 2
            $0.lock = { try lock.require() }
        }
        #expect(try await cache.ids(UserQuery()) == ["1"])
        #expect(try await cache.reader.history(nil, 10).count == 2)
        await #expect(throws: CacheError.self) { try await cache.writer.requireWritable() }
        try #require(mount(nil, folder, nil, UInt(MS_BIND | MS_REMOUNT), nil) == 0)
        _ = try await cache.writer.record(change(.users, .loaded))
        #expect(try await cache.reader.history(nil, 10).count == 3)
        await cache.close()
    }

    @Test(
        "Once an unwritable folder is writable again, userd has locks on its cache: no other process removes its log",
        arguments: [[""], ["", "-wal"], ["", "-wal", "-shm"]])
    func locks(files: [String]) async throws {
        try #require(geteuid() == 0, "this test has to run as root")
        let folder = directory.file("locked")
        mkdir(folder, 0o700)
        let first = try await openCache(folder + "/whole.db")
        try await first.sync(users: [user("1")])
        if files.count > 1 { _ = try await first.writer.record(change(.users, .syncing)) }
        let copy = folder + "/c.db"
        for suffix in files {
            try FileManager.default.copyItem(atPath: folder + "/whole.db" + suffix, toPath: copy + suffix)
        }
        chmod(copy, 0o600)
        await first.close()
        try #require(mount(folder, folder, nil, UInt(MS_BIND), nil) == 0)
        defer { umount2(folder, Int32(MNT_DETACH)) }
        try #require(mount(nil, folder, nil, UInt(MS_BIND | MS_REMOUNT | MS_RDONLY), nil) == 0)
        let cache = try await openCache(copy)
        for _ in 0..<2 { #expect(try await cache.ids(UserQuery()) == ["1"]) }
        try #require(mount(nil, folder, nil, UInt(MS_BIND | MS_REMOUNT), nil) == 0)
        for number in 2..<4 {
            try await cache.sync(users: [user("\(number)")], number: number)
            for _ in 0..<3 { #expect(try await cache.ids(UserQuery()) == ["\(number)"]) }
            // SQLite removes the log with the last connection, unless another process has locks.
            let other = try await run(
                "/usr/bin/sqlite3", [copy, "SELECT count(*) FROM users"], environment: [:])
            #expect(other.output == "1\n")
            #expect(access(copy + "-wal", F_OK) == 0)
        }
        await cache.close()
    }

    private func fill(_ folder: String) throws {
        let filler = open(folder + "/filler", O_WRONLY | O_CREAT, 0o600)
        defer { close(filler) }
        let page = [UInt8](repeating: 1, count: 4096)
        while write(filler, page, page.count) > 0 {}
    }

    // MARK: Reads and staging

    @Test("Restoring an unchanged state writes nothing")
    func restoring() async throws {
        let cache = try await openCache(path)
        _ = try await cache.writer.restore([.users: .seconds(60), .facts: .seconds(60)], start)
        let other = try Connection(path: path, access: .readOnly)
        func version() throws -> Int? { try other.firstInt("PRAGMA data_version") }
        let before = try version()
        let again = try await cache.writer.restore([.users: .seconds(60), .facts: .seconds(60)], start)
        #expect(again.resources.count == 2)
        #expect(try version() == before)
        let changed = try await cache.writer.restore([.users: .seconds(61), .facts: .seconds(60)], start)
        #expect(changed.resources[.users]?.interval == .seconds(61))
        #expect(try version() != before)
        #expect(try await cache.reader.resources()[.users]?.interval == .seconds(61))
        await cache.close()
    }

    @Test("Staging goes on while another process writes, and only the commit waits")
    func stagingUnderLock() async throws {
        let cache = try await openCache(path)
        let other = try Connection(path: path, access: .readWrite)
        try other.execute("BEGIN IMMEDIATE")
        // Waiting for the lock would take the whole busy timeout, and then fail.
        try await cache.writer.beginStaging(.users, 1)
        let known = KnownPage(key: "k", validators: Validators(etag: "e"))
        #expect(
            try await cache.writer.stageUsers(
                Page(records: [user("1")], known: known), 1, 1) == 0)
        #expect(try await cache.stageSame(.users, 1, 1) == nil)
        try other.execute("ROLLBACK")
        #expect(try await cache.commit(.users, 1).added == 1)
        await cache.close()
    }

    @Test("A dropped staging area is not committed, and the other resource's stays")
    func dropped() async throws {
        let cache = try await openCache(path)
        try await cache.writer.beginStaging(.facts, 1)
        _ = try await cache.writer.stageFacts([fact("1")], on: Page<Fact>(), 1, 1)
        try await cache.writer.beginStaging(.users, 1)
        _ = try await cache.writer.stageUsers(Page(records: [user("1")]), 1, 1)
        // An earlier sync that is still ending must not empty it.
        await cache.writer.dropStaging(.users, 0)
        #expect(try await cache.writer.stageUsers(Page(records: [user("1")]), 1, 1) == 1)
        await cache.writer.dropStaging(.users, 1)
        await #expect(throws: CacheError.self) { try await cache.commit(.users, 1) }
        #expect(try await cache.commit(.facts, 1).added == 1)
        await cache.close()
    }

    @Test("A refused commit leaves no log behind")
    func refusedCommit() async throws {
        struct Refused: Error {}
        let cache = try await openCache(path) { try $0.execute("PRAGMA cache_size = 10") }
        try await cache.writer.beginStaging(.users, 1)
        _ = try await cache.writer.stageUsers(Page(records: (0..<3000).map { user("\($0)") }), 1, 1)
        await #expect(throws: Refused.self) {
            try await cache.writer.commit(.users, 1, .atOnce) { _ in throw Refused() }
        }
        await cache.writer.dropStaging(.users, 1)
        var status = stat()
        #expect(stat(path + "-wal", &status) == 0 && status.st_size == 0)
        await cache.close()
    }
}
