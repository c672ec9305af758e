import SQLite
import TestSupport
import Testing

@Suite("Interrupting a database", .timeLimit(.hang))
struct InterruptingTests {
    let directory: TemporaryDirectory
    let path: String

    init() throws {
        directory = try TemporaryDirectory()
        path = directory.file("c.db")
    }

    @Test("An interrupted database ends running long work and later long work")
    func database() async throws {
        let database = try await memoryDatabase()
        let begun = Channel<Void>()
        let long = Task {
            try await database.run { connection in
                begun.send(())
                return try connection.ints(countingTo(1_000_000_000))
            }
        }
        try await begun.receive()
        database.interrupt()
        for task in [long, Task { try await database.run { try $0.ints(countingTo(1_000_000_000)) } }] {
            let error = await #expect(throws: SQLiteError.self) { try await task.value }
            #expect(error?.isInterrupted == true)
        }
        await database.close()
    }

    @Test("An interrupt ends the wait for another connection's lock")
    func lock() async throws {
        let database = try await Database(path: path, access: .readWriteCreate, busyTimeout: .seconds(120))
        let other = try Connection(path: path, access: .readWrite)
        try other.execute("BEGIN EXCLUSIVE")
        let begun = Channel<Void>()
        let waiting = Task {
            try await database.run { connection in
                begun.send(())
                try connection.execute("CREATE TABLE t (x)")
            }
        }
        try await begun.receive()
        database.interrupt()
        let error = await #expect(throws: SQLiteError.self) { try await waiting.value }
        // Busy if it waited, interrupted if it had not begun to.
        #expect(error?.isBusy == true || error?.isInterrupted == true)
        await database.close()
    }

    @Test("A lock is waited for until the busy timeout, and taken if it becomes free before")
    func busyTimeout() async throws {
        let hasty = try await Database(path: path, access: .readWriteCreate, busyTimeout: .milliseconds(20))
        let patient = try await Database(path: path, access: .readWrite, busyTimeout: .seconds(120))
        let other = try Connection(path: path, access: .readWrite)
        try other.execute("BEGIN EXCLUSIVE")
        let refusal = await #expect(throws: SQLiteError.self) {
            try await hasty.run { try $0.execute("CREATE TABLE t (x)") }
        }
        #expect(refusal?.isBusy == true)
        let begun = Channel<Void>()
        let waiting = Task {
            try await patient.run { connection in
                begun.send(())
                try connection.execute("CREATE TABLE t (x)")
            }
        }
        try await begun.receive()
        try other.execute("COMMIT")
        try await waiting.value
        for database in [hasty, patient] { await database.close() }
    }

    @Test("Interrupting the copying of a long log loses nothing")
    func checkpoint() async throws {
        let writer = try Connection(path: path, access: .readWriteCreate)
        try writer.useWriteAheadLog()
        try writer.execute("PRAGMA wal_autocheckpoint = 0; PRAGMA synchronous = OFF; CREATE TABLE t (x)")
        let database = try await Database(path: path, access: .readWrite)
        database.interrupt()
        var rows = 0
        var isInterrupted = false
        // Copying takes many times as long as the interval between interrupts, but the machine may be busy.
        for _ in 0..<20 where !isInterrupted {
            try writer.execute("INSERT INTO t VALUES (zeroblob(64 << 20))")
            rows += 1
            do {
                try await database.run { try $0.execute("PRAGMA wal_checkpoint(TRUNCATE)") }
            } catch let error as SQLiteError {
                isInterrupted = error.isInterrupted
            }
        }
        #expect(isInterrupted)
        await database.close()
        #expect(try writer.ints("SELECT length(x) FROM t") == Array(repeating: 64 << 20, count: rows))
        #expect(try writer.value("PRAGMA quick_check") == .text("ok"))
    }
}
