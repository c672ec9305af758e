import Cache
import Foundation
import Glibc
import Model
import SQLite
import Synchronization
import TestSupport
import Testing

@Suite("The cache's file")
struct CacheFileTests {
    let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    @Test("Directory and file are created for their owner only")
    func modes() async throws {
        let path = directory.file("a/b/c.db")
        let cache = try await openCache(path)
        try await cache.sync(users: [user("1")])
        #expect(try mode(directory.file("a/b")) == 0o700)
        for file in [path, path + "-wal", path + "-shm"] { #expect(try mode(file) == 0o600, "\(file)") }
        await cache.close()
    }

    @Test("A missing file is reported as missing by readers")
    func absent() async throws {
        let path = directory.file("none.db")
        await #expect(throws: CacheError.absent(path: path)) {
            try await openOffline(path)
        }
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    @Test("Another program's database and a newer cache are refused and left unchanged")
    func refused() async throws {
        let foreign = directory.file("foreign.db")
        try withConnection(foreign) { try $0.execute("CREATE TABLE theirs (x); PRAGMA application_id = 7;") }
        let anonymous = directory.file("anonymous.db")
        try withConnection(anonymous) { try $0.execute("CREATE TABLE theirs (x);") }
        let newer = directory.file("newer.db")
        await (try openCache(newer)).close()
        try withConnection(newer) { try $0.execute("PRAGMA user_version = 999;") }
        for (path, words) in [
            (foreign, "another program"), (anonymous, "another program"), (newer, "schema 999"),
        ] {
            let before = try Data(contentsOf: URL(filePath: path))
            let error = await #expect(throws: CacheError.self) { try await openCache(path) }
            #expect("\(try #require(error))".contains(words), "\(path)")
            let offline = await #expect(throws: CacheError.self) {
                try await openOffline(path)
            }
            #expect("\(try #require(offline))".contains(words), "\(path)")
            #expect(try Data(contentsOf: URL(filePath: path)) == before)
        }
    }

    @Test("An SQLite that is too old is refused before any file is created")
    func oldSQLite() async throws {
        let path = directory.file("c.db")
        func open(_ version: Int) async throws -> Cache {
            try await Cache.live(
                path: path, newEpoch: "e", now: { start }, random: { $0.lowerBound }
            ) {
                $0.sqlite = version
            }
        }
        let error = await #expect(throws: CacheError.self) { try await open(3_037_002) }
        #expect(
            "\(try #require(error))"
                == "\(path): userd needs SQLite 3.38.0 or later, found 3.37.2; install a later libsqlite3")
        #expect(!FileManager.default.fileExists(atPath: path))
        await (try open(3_038_000)).close()
    }

    @Test("A folder that others can write to, a symbolic link and a directory as the file are refused")
    func unsafe() async throws {
        let open = directory.file("open")
        try FileManager.default.createDirectory(atPath: open, withIntermediateDirectories: false)
        try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: open)
        let target = directory.file("target.db")
        await (try openCache(target)).close()
        let link = directory.file("link.db")
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: target)
        let folder = directory.file("folder.db")
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
        for (path, words) in [
            (open + "/c.db", "other users can write"), (link, "symbolic link"), (folder, "can't be opened"),
        ] {
            let error = await #expect(throws: CacheError.self) { try await openCache(path) }
            #expect("\(try #require(error))".contains(words), "\(path)")
        }
    }

    @Test("A removed file is detected on SQLite's executor, before a write and on request")
    func gone() async throws {
        let path = directory.file("c.db")
        let executor = WatchedExecutor()
        let looks = Mutex<[Bool]>([])
        let cache = try await Cache.live(
            path: path, newEpoch: "epoch-1", now: { start }, random: { $0.lowerBound }
        ) {
            $0.executor = executor
            $0.lost = { _ in looks.withLock { $0.append(executor.isAtWork) } }
        }
        try await cache.writer.refuseGone()
        try FileManager.default.removeItem(atPath: path)
        await #expect(throws: CacheError.gone(path: path)) { try await cache.writer.refuseGone() }
        await #expect(throws: CacheError.gone(path: path)) { try await cache.sync(users: [user("1")]) }
        #expect(looks.withLock { $0 } == [true, true])
        await cache.close()
    }

    /// Runs one job at a time.
    private final class WatchedExecutor: TaskExecutor {
        private let queue = DispatchQueue(label: "watched")
        private let working = Mutex(false)
        var isAtWork: Bool { working.withLock { $0 } }

        func enqueue(_ job: consuming ExecutorJob) {
            let job = UnownedJob(job)
            queue.async {
                self.working.withLock { $0 = true }
                job.runSynchronously(on: self.asUnownedTaskExecutor())
                self.working.withLock { $0 = false }
            }
        }
    }

    @Test("No picture is written once the file is gone")
    func goneForPictures() async throws {
        let path = directory.file("c.db")
        let cache = try await openCache(path)
        try FileManager.default.removeItem(atPath: path)
        await #expect(throws: CacheError.gone(path: path)) { try await cache.pictures.prefetch([.large]) }
        await cache.close()
    }

    @Test("Reopening the writer keeps the process's locks, because the readers stay open")
    func locks() async throws {
        let path = directory.file("c.db")
        let cache = try await openCache(path)
        try await cache.sync(users: [user("1")])
        #expect(try await cache.ids(UserQuery()) == ["1"])
        // Closed last, because closing any descriptor of the file drops its locks.
        let other = Glibc.open(path, O_RDWR | O_CLOEXEC)
        defer { close(other) }
        #expect(try isLocked(other))
        await #expect(throws: CacheError.self) {
            try await cache.writer.beginStaging(.users, 2)
            _ = try await cache.writer.commit(.users, 2, .atOnce) { _ in
                throw SQLiteError(code: SQLiteError.failedSync, message: "disk I/O error")
            }
        }
        try await cache.writer.requireWritable()
        #expect(try isLocked(other))
        await cache.close()
        #expect(try !isLocked(other))
    }

    /// Whether a connection holds SQLite's shared lock. A lock of an open file description also sees those of
    /// its own process. https://www.sqlite.org/fileformat2.html#the_lock_byte_page
    private func isLocked(_ file: Int32) throws -> Bool {
        var lock = flock()
        (lock.l_type, lock.l_whence) = (Int16(F_WRLCK), Int16(SEEK_SET))
        (lock.l_start, lock.l_len) = (0x4000_0002, 510)
        let getOpenFileLock: Int32 = 36
        try #require(fcntl(file, getOpenFileLock, &lock) == 0)
        return lock.l_type != F_UNLCK
    }

    // MARK: The log

    private func logSize(_ path: String) throws -> Int {
        try Data(contentsOf: URL(filePath: path + "-wal")).count
    }

    @Test("A log that is still being read is cut after a later sync")
    func log() async throws {
        let path = directory.file("c.db")
        let cache = try await openCache(path)
        let reader = try Connection(path: path, access: .readOnly)
        try reader.execute("BEGIN")
        #expect(try reader.firstInt("SELECT count(*) FROM users") == 0)
        try await cache.sync(users: (0..<300).map { user("\($0)") })
        #expect(try logSize(path) > 0)
        try reader.execute("COMMIT")
        await cache.writer.tidy()
        #expect(try logSize(path) == 0)
        await cache.close()
    }

    @Test("The log that an earlier daemon left is cut after the first sync")
    func earlierLog() async throws {
        let (path, copy) = (directory.file("c.db"), directory.file("copy.db"))
        let cache = try await openCache(path)
        try await cache.sync(users: [user("1")])
        _ = try await cache.writer.record(change(.users, .syncing))
        for suffix in ["", "-wal"] {
            try FileManager.default.copyItem(atPath: path + suffix, toPath: copy + suffix)
        }
        await cache.close()
        let next = try await openCache(copy)
        #expect(try logSize(copy) > 0)
        await next.writer.tidy()
        #expect(try logSize(copy) == 0)
        #expect(try await next.reader.history(nil, 10).count == 2)
        await next.close()
    }

    @Test("A cache belongs to one daemon at a time, and to the next once that has ended")
    func lock() throws {
        let path = directory.file("c.db")
        var first: CacheLock? = try CacheLock(path: path)
        let error = #expect(throws: CacheError.self) { try CacheLock(path: path) }
        let words = "\(try #require(error))"
        #expect(words.contains("another userd uses this cache; stop the other userd (process \(getpid()))"))
        withExtendedLifetime(first) {}
        first = nil
        _ = try CacheLock(path: path)
    }

    @Test("Readers refuse an older cache, and say how to migrate it")
    func older() async throws {
        let path = directory.file("c.db")
        await (try openCache(path)).close()
        try withConnection(path) { try $0.execute("PRAGMA user_version = 1") }
        let error = await #expect(throws: CacheError.self) { try await openOffline(path) }
        let words = "\(try #require(error))"
        #expect(words.contains("this cache has schema 1 and this program needs "))
        #expect(words.hasSuffix("; start userd once: it migrates the cache"))
    }

    @Test(
        "An invalid saved state is reported as damage, with the member that can't be read",
        arguments: ["phase", "synced_at"])
    func damagedState(member: String) async throws {
        let path = directory.file("c.db")
        let cache = try await openCache(path)
        try await cache.sync(users: [user("1")])
        await cache.close()
        try withConnection(path) {
            try $0.execute(
                "UPDATE resources SET before = NULL, state = json_set(state, '$.\(member)', 'bad')")
        }
        let reader = try await openOffline(path)
        let error = await #expect(throws: CacheError.self) { try await reader.users(UserQuery()) }
        guard case .damaged(let found) = try #require(error) else { throw try #require(error) }
        #expect(found.hasSuffix(": a State can't be read: \(member)"))
        await reader.close()
    }

    @Test("A directory in place of the lock or the log is reported with its path and the reason")
    func obstacles() throws {
        let path = directory.file("c.db")
        let lock = try CacheLock(path: path)
        try FileManager.default.createDirectory(atPath: path + "-wal", withIntermediateDirectories: false)
        let kept = #expect(throws: CacheError.self) { try lock.removeCache() }
        #expect("\(try #require(kept))".contains("\(path)-wal: can't be removed: Is a directory"))
        #expect(FileManager.default.fileExists(atPath: path))

        let other = directory.file("other.db")
        try FileManager.default.createDirectory(atPath: other + ".lock", withIntermediateDirectories: false)
        let error = #expect(throws: CacheError.self) { try CacheLock(path: other) }
        #expect("\(try #require(error))".contains("\(other).lock: can't be opened: Is a directory"))
    }

    @Test("The holder of the lock can remove the cache with its log, and begin a new one")
    func beginningAnew() async throws {
        let path = directory.file("c.db")
        let lock = try CacheLock(path: path)
        try lock.removeCache()
        let cache = try await openCache(path, epoch: "first")
        try await cache.sync(users: [user("1")])
        // Makes the files that a kill leaves, with the newest rows in the log.
        let kept = ["", "-wal", "-shm"].map { try? Data(contentsOf: URL(filePath: path + $0)) }
        await cache.close()
        for (suffix, data) in zip(["", "-wal", "-shm"], kept) {
            try #require(data).write(to: URL(filePath: path + suffix))
        }
        try lock.removeCache()
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path) == ["c.db.lock"])
        let next = try await openCache(path, epoch: "second")
        #expect(try await next.ids(UserQuery()) == [])
        await next.close()
    }

    @Test("A commit that finds the file locked fails, changes nothing, and can be repeated")
    func locked() async throws {
        let path = directory.file("c.db")
        let cache = try await openCache(path) { try $0.execute("PRAGMA busy_timeout = 10") }
        try await cache.sync(users: [user("1")])
        let many = (0..<300).map { user("n\($0)", String(repeating: "x", count: 300)) }
        try await cache.writer.beginStaging(.users, 2)
        _ = try await cache.writer.stageUsers(Page(records: many), 1, 2)
        let blocker = try Connection(path: path, access: .readWrite)
        try blocker.execute("BEGIN IMMEDIATE")
        await #expect(throws: CacheError.self) { _ = try await cache.commit(.users, 2) }
        try blocker.execute("ROLLBACK")
        #expect(try await cache.ids(UserQuery()) == ["1"])
        #expect(try await cache.commit(.users, 2).after == 300)
        await cache.close()
    }

    private func mode(_ path: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    }

    private func withConnection(_ path: String, _ body: (Connection) throws -> Void) throws {
        let connection = try Connection(path: path, access: .readWriteCreate)
        try body(connection)
        connection.close()
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
    }
}
