import Foundation
import SQLite
import TestSupport
import Testing

@Suite("The write-ahead log")
struct WriteAheadLogTests {
    let directory: TemporaryDirectory
    let path: String
    let connection: Connection

    init() throws {
        directory = try TemporaryDirectory()
        path = directory.file("c.db")
        connection = try Connection(path: path, access: .readWriteCreate)
        try connection.useWriteAheadLog()
        try connection.execute("CREATE TABLE t (x)")
        for number in 1...9 { try connection.run("INSERT INTO t VALUES (?)", [number.value]) }
    }

    /// Makes the files that a killed process leaves: the database with its log, and perhaps shared memory.
    private func left(_ name: String, log: Data? = nil, sharedMemory: Data? = nil) throws -> String {
        let copy = directory.file(name)
        try FileManager.default.copyItem(atPath: path, toPath: copy)
        try (log ?? bytes(of: path + "-wal")).write(to: URL(filePath: copy + "-wal"))
        try sharedMemory?.write(to: URL(filePath: copy + "-shm"))
        return copy
    }

    @Test("Commits of a process that did not close the database are read from the log")
    func leftBehind() throws {
        let reader = try Connection(path: left("copy.db"), access: .readOnly)
        #expect(try reader.ints("SELECT x FROM t") == Array(1...9))
    }

    @Test("Invalid shared memory is rebuilt", arguments: [UInt8(0), 0xA5, 0xFF])
    func rubbish(byte: UInt8) throws {
        let copy = try left("copy.db", sharedMemory: Data(repeating: byte, count: 32768))
        let connection = try Connection(path: copy, access: .readWrite)
        #expect(try connection.ints("SELECT x FROM t") == Array(1...9))
        #expect(try connection.value("PRAGMA integrity_check") == .text("ok"))
    }

    @Test("A database that can't have a log is an error")
    func none() throws {
        let path = directory.file("other.db")
        try Connection(path: path, access: .readWriteCreate).execute("CREATE TABLE t (x)")
        let fixed = try Connection(path: path, access: .immutable)
        let error = error { try fixed.useWriteAheadLog() }
        #expect(error?.reason.contains("the write-ahead log can't be used for this file") == true)
    }

    @Test("The log can be turned on once another connection's exclusive transaction has ended")
    func contended() throws {
        let path = directory.file("other.db")
        let other = try Connection(path: path, access: .readWriteCreate)
        try other.execute("CREATE TABLE t (x)")
        let impatient = try Connection(path: path, access: .readWrite, busyTimeout: .milliseconds(10))
        try other.execute("BEGIN EXCLUSIVE")
        #expect(error { try impatient.useWriteAheadLog() }?.isBusy == true)
        try other.execute("ROLLBACK")
        try impatient.useWriteAheadLog()
        #expect(try impatient.value("PRAGMA journal_mode") == .text("wal"))
    }

    @Test("A log that is cut anywhere still has all commits before the cut")
    func cut() throws {
        let log = try bytes(of: path + "-wal")
        var seen: Set<Int> = []
        for length in Array(stride(from: 0, to: log.count, by: 1031)) + [log.count - 1, log.count] {
            let copy = try left("copy\(length).db", log: log.prefix(length))
            let connection = try Connection(path: copy, access: .readWrite)
            guard try connection.value("SELECT count(*) FROM sqlite_schema") == .integer(1) else { continue }
            let rows = try connection.ints("SELECT x FROM t")
            #expect(rows == Array(1...9).prefix(rows.count).map { $0 })
            seen.insert(rows.count)
        }
        #expect(seen == Set(0...9))
    }

    @Test("The last connection to close leaves only the database file")
    func closed() throws {
        let reader = try Connection(path: path, access: .readOnly)
        _ = try reader.ints("SELECT x FROM t")
        reader.close()
        connection.close()
        #expect(try files(in: directory.path) == ["c.db"])
    }

    @Test(
        "A log that takes long to copy is left to the next connection",
        arguments: [(1, false), (20, true)])
    func long(mebibytes: Int, isLeft: Bool) throws {
        try connection.execute(
            "PRAGMA wal_autocheckpoint = 0; INSERT INTO t VALUES (zeroblob(\(mebibytes << 20)))")
        connection.close()
        #expect(try files(in: directory.path).contains("c.db-wal") == isLeft)
        #expect(try (bytes(of: path).count < 1 << 20) == isLeft)

        let next = try Connection(path: path, access: .readWrite)
        #expect(try next.ints("SELECT count(*) FROM t") == [10])
        #expect(try next.value("PRAGMA integrity_check") == .text("ok"))
    }
}
