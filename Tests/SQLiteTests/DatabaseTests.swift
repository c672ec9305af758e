import CSQLite
import Dispatch
import Foundation
import Glibc
import SQLite
import Synchronization
import TestSupport
import Testing

@Suite("Databases on their own executors")
struct DatabaseTests {
    @Test("Work on a database returns its result and throws its errors")
    func results() async throws {
        let database = try await memoryDatabase()
        let sum = try await database.run { connection in
            try connection.ints("SELECT 1 + 1")
        }
        #expect(sum == [2])
        await #expect(throws: SQLiteError.self) { try await database.run { try $0.execute("rubbish") } }
    }

    @Test("After a failed write or sync the file is reopened, even if the first attempt fails")
    func reopening() async throws {
        let directory = try TemporaryDirectory()
        let path = directory.file("a.db")
        let attempts = Mutex(0)
        let database = Database {
            let attempt = attempts.withLock { attempts in
                attempts += 1
                return attempts
            }
            if attempt == 2 { throw SQLiteError(code: SQLITE_CANTOPEN, message: "not yet") }
            return try Connection(path: path, access: .readWriteCreate)
        }
        try await database.run { try $0.execute("CREATE TABLE kept (x); CREATE TEMP TABLE own (x)") }
        await #expect(throws: SQLiteError.self) {
            try await database.run { _ in throw SQLiteError(code: SQLITE_IOERR, message: "another error") }
        }
        try await database.run { try $0.execute("SELECT 1 FROM own") }
        await #expect(throws: SQLiteError.self) {
            try await database.run { _ in throw SQLiteError(code: SQLiteError.failedSync, message: "no sync")
            }
        }
        await #expect(throws: SQLiteError.self) { try await database.run { try $0.execute("SELECT 1") } }
        try await database.run { try $0.execute("SELECT 1 FROM kept") }
        await #expect(throws: SQLiteError.self) {
            try await database.run { try $0.execute("SELECT 1 FROM own") }
        }
        #expect(attempts.withLock { $0 } == 3)
        await database.drop()
        try await database.run { try $0.execute("SELECT 1 FROM kept") }
        #expect(attempts.withLock { $0 } == 4)
        await database.close()
        await #expect(throws: SQLiteError.self) { try await database.run { try $0.execute("SELECT 1") } }
    }

    @Test("Damage is reported even if the work ignores it")
    func damage() async throws {
        let directory = try TemporaryDirectory()
        let path = directory.file("a.db")
        let found = Mutex<[Int32]>([])
        let database = try await Database(
            path: path, access: .readWriteCreate,
            damaged: { error in found.withLock { $0.append(error.code) } })
        try await database.run { try $0.execute("CREATE TABLE a (x)") }
        let file = try FileHandle(forWritingTo: URL(filePath: path))
        try file.write(contentsOf: Data(repeating: 0x41, count: 4096))
        try file.close()
        try await database.run { _ = try? $0.execute("SELECT * FROM a") }
        #expect(found.withLock { $0 } == [SQLITE_NOTADB])
        await database.close()
    }

    @Test("A wrong value starts an examination of the file in parallel", arguments: [nil, "row 1 missing"])
    func besideOthers(finding: String?) async throws {
        let other = Mutex<Database?>(nil)
        let told = Mutex<[SQLiteError]>([])
        let database = Database(
            damaged: { error in told.withLock { $0.append(error) } },
            examine: {
                // Never returns if the examined work still holds the connection.
                let one = try await other.withLock { $0 }?.run { try $0.ints("SELECT 1") }
                #expect(one == [1])
                return finding
            }
        ) { try memory() }
        other.withLock { $0 = database }
        let wrong = SQLiteError(code: SQLITE_CONSTRAINT, message: "constraint failed")
        let expected = finding.map(SQLiteError.damage) ?? wrong
        await #expect(throws: expected) { try await database.run { _ in throw wrong } }
        #expect(told.withLock { $0 } == (finding == nil ? [] : [expected]))
        await database.close()
    }

    @Test("Jobs run one at a time")
    func serial() async throws {
        let database = try await memoryDatabase()
        let running = Counter()
        try await withThrowingTaskGroup { group in
            for _ in 0..<100 {
                group.addTask {
                    try await database.run { connection in
                        #expect(running.add(1) == 1)
                        _ = try connection.ints("SELECT 1")
                        running.add(-1)
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    @Test("Databases that block, also while opening, do not block the cooperative pool")
    func blocking() async throws {
        let directory = try TemporaryDirectory()
        let pipes = (0..<8).map { directory.file("pipe\($0)") }
        for pipe in pipes { #expect(mkfifo(pipe, 0o600) == 0) }
        let gate = DispatchSemaphore(value: 0)
        let blocked = DispatchSemaphore(value: 0)
        await withTaskGroup { group in
            for pipe in pipes {
                // Opening a pipe blocks until its other end is opened.
                group.addTask { _ = try? await Database(path: pipe, access: .readOnly) }
                group.addTask {
                    try? await memoryDatabase().run { _ in
                        blocked.signal()
                        gate.wait()
                    }
                }
            }
            // If the pool is blocked, the test fails after the deadline instead of hanging.
            let ends = try? await onThread {
                let deadline = DispatchTime.now() + .seconds(60)
                for _ in pipes { #expect(blocked.wait(timeout: deadline) == .success) }
                let progress = DispatchSemaphore(value: 0)
                Task { progress.signal() }
                #expect(progress.wait(timeout: deadline) == .success)
                for _ in pipes { gate.signal() }
                return pipes.map { open($0, O_RDWR | O_CLOEXEC) }
            }
            await group.waitForAll()
            for end in ends ?? [] { close(end) }
        }
    }

    @Test("After close every use is an error")
    func closed() async throws {
        let database = try await memoryDatabase()
        await database.close()
        await database.close()
        await #expect(throws: SQLiteError(code: SQLITE_MISUSE, message: "the database is closed")) {
            try await database.run { _ in }
        }
    }

    @Test("A database that can't be opened is an error")
    func notOpened() async throws {
        let directory = try TemporaryDirectory()
        await #expect(throws: SQLiteError.self) {
            try await Database(path: directory.file("none"), access: .readOnly)
        }
    }
}

@Suite("A pool of readers", .timeLimit(.hang))
struct ReaderPoolTests {
    private func pool(_ count: Int) async throws -> ReaderPool {
        var databases: [Database] = []
        for _ in 0..<count { databases.append(try await memoryDatabase()) }
        return ReaderPool(databases)
    }

    /// Returns true if this many jobs run at the same time; false after a timeout.
    private func run(_ count: Int, atOnceIn pool: ReaderPool) async throws -> Bool {
        let arrived = Counter()
        return try await withThrowingTaskGroup { group in
            for _ in 0..<count {
                group.addTask {
                    try await pool.run { _ in
                        arrived.add(1)
                        for _ in 0..<5000 where arrived.value < count { usleep(1000) }
                        return arrived.value == count
                    }
                }
            }
            for try await isAccompanied in group where !isAccompanied { return false }
            return true
        }
    }

    @Test("As many reads run at the same time as there are connections, and no more")
    func parallel() async throws {
        let pool = try await pool(3)
        #expect(try await run(3, atOnceIn: pool))
        let running = Counter()
        try await withThrowingTaskGroup { group in
            for number in 0..<100 {
                group.addTask {
                    try await pool.run { connection in
                        #expect(running.add(1) <= 3)
                        defer { running.add(-1) }
                        return try connection.ints("SELECT ?", [number.value])[0]
                    }
                }
            }
            var answers: Set<Int> = []
            for try await answer in group { answers.insert(answer) }
            #expect(answers == Set(0..<100))
        }
    }

    @Test("An error or a cancelled caller loses no connection")
    func connectionsStay() async throws {
        let pool = try await pool(2)
        let gate = DispatchSemaphore(value: 0)
        let blockers = (0..<2).map { _ in Task { try await pool.run { _ in gate.wait() } } }
        let cancelled = (0..<20).map { _ in Task { try await pool.run { try $0.execute("rubbish") } } }
        for task in cancelled { task.cancel() }
        for _ in blockers { gate.signal() }
        for task in blockers { try await task.value }
        for task in cancelled { await #expect(throws: (any Error).self) { try await task.value } }
        #expect(try await run(2, atOnceIn: pool))
    }

    @Test("A read of kind first goes ahead of all waiting reads")
    func first() async throws {
        let pool = try await pool(1)
        let begun = Channel<Void>()
        let gate = DispatchSemaphore(value: 0)
        let order = Channel<Bool>()
        async let blocking: Void = pool.run { _ in
            begun.send(())
            gate.wait()
        }
        try await begun.receive()
        @Sendable func read(_ kind: ReaderPool.Kind) async throws {
            try await pool.run(kind) { _ in order.send(kind == .first) }
        }
        async let one: Void = read(.short)
        async let two: Void = read(.long)
        while pool.waitingCount < 2 { await Task.yield() }
        async let first: Void = read(.first)
        while pool.waitingCount < 3 { await Task.yield() }
        gate.signal()
        _ = try await (blocking, one, two, first)
        #expect(try await order.receive())
    }

    @Test("Long reads leave a connection to the short ones")
    func long() async throws {
        let pool = try await pool(3)
        let begun = Channel<Void>()
        let gate = DispatchSemaphore(value: 0)
        let running = Counter()
        let long = (0..<6).map { _ in
            Task {
                try await pool.run(.long) { _ in
                    #expect(running.add(1) <= 2)
                    begun.send(())
                    gate.wait()
                    running.add(-1)
                }
            }
        }
        for _ in 0..<2 { try await begun.receive() }
        while pool.waitingCount < 4 { await Task.yield() }
        for _ in 0..<3 { #expect(try await pool.run { try $0.ints("SELECT 1") } == [1]) }
        for _ in long { gate.signal() }
        for task in long { try await task.value }
        #expect(try await run(3, atOnceIn: pool))
    }

    @Test("Closing interrupts a long read instead of waiting for it")
    func closedWhileReading() async throws {
        let pool = try await pool(2)
        let begun = Channel<Void>()
        let long = Task {
            try await pool.run { connection in
                begun.send(())
                return try connection.ints(countingTo(1_000_000_000))
            }
        }
        try await begun.receive()
        await pool.close()
        let error = await #expect(throws: SQLiteError.self) { try await long.value }
        #expect(error?.isInterrupted == true)
    }

    @Test("After close every read is an error")
    func closed() async throws {
        let pool = try await pool(2)
        await pool.close()
        for _ in 0..<3 { await #expect(throws: SQLiteError.self) { try await pool.run { _ in } } }
    }
}

private final class Counter: Sendable {
    private let count = Mutex(0)

    var value: Int { count.withLock { $0 } }

    /// - Returns: the new value.
    @discardableResult
    func add(_ change: Int) -> Int {
        count.withLock { count in
            count += change
            return count
        }
    }
}
