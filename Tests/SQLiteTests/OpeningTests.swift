import CSQLite
import Foundation
import TestSupport
import Testing

@testable import SQLite

@Suite("Opening a database")
struct OpeningTests {
    let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    @Test(
        "A missing file is created only on request; otherwise the error names it",
        arguments: [Connection.Access.readOnly, .readWrite])
    func missing(access: Connection.Access) throws {
        let path = directory.file("none.db")
        let error = error { _ = try Connection(path: path, access: access) }
        #expect(error?.primaryCode == SQLITE_CANTOPEN)
        #expect(error?.message.contains(path) == true)
        #expect(try files(in: directory.path).isEmpty)
    }

    @Test("The handle is closed if opening fails, early or late")
    func closedOnFailure() throws {
        let text = directory.file("text.db")
        try Data(repeating: 0x41, count: 4096).write(to: URL(filePath: text))
        #expect(error { _ = try Connection(path: text, access: .readWrite) }?.isNotADatabase == true)
        #expect(try openDescriptors(of: text) == 0)
        #expect(error { _ = try Connection(path: directory.path, access: .readWrite) } != nil)
        #expect(try openDescriptors(of: directory.path) == 0)
    }

    @Test("An empty path and one with a NUL are refused")
    func noFile() throws {
        for path in ["", directory.file("a\0b")] {
            #expect(error { _ = try Connection(path: path, access: .readWriteCreate) } != nil)
        }
        #expect(try files(in: directory.path).isEmpty)
    }

    @Test(
        "A path is never read as a URI",
        arguments: ["a?mode=memory", "100%25.db", "with space.db", "Ünïcødé 数.db", "#x.db", "file:x.db"])
    func path(name: String) throws {
        let connection = try Connection(path: directory.file(name), access: .readWriteCreate)
        try connection.execute("CREATE TABLE t (x)")
        connection.close()
        #expect(try files(in: directory.path) == [name])
    }

    @Test("A relative path that looks like a URI is a path")
    func relative() throws {
        // A name that can't exist, because the tests share one working directory.
        let error = error { _ = try Connection(path: "file:none.db?mode=memory", access: .readWrite) }
        #expect(error?.primaryCode == SQLITE_CANTOPEN)
    }

    @Test("Settings apply to writers and readers")
    func settings() throws {
        let path = directory.file("c.db")
        let writer = try Connection(path: path, access: .readWriteCreate)
        try writer.useWriteAheadLog()
        let reader = try Connection(path: path, access: .readOnly)
        for connection in [writer, reader] {
            for (pragma, value) in [
                ("foreign_keys", 1), ("trusted_schema", 0), ("mmap_size", 0), ("synchronous", 2),
                ("busy_timeout", 5000),
            ] {
                #expect(try connection.value("PRAGMA \(pragma)") == .integer(Int64(value)), "\(pragma)")
            }
            #expect(try connection.value("PRAGMA journal_mode") == .text("wal"))
        }
    }

    @Test("A word in double quotes that is not a column is an error, not a string")
    func doubleQuotes() throws {
        let connection = try memory()
        #expect(error { _ = try connection.value("SELECT \"word\"") } != nil)
        #expect(error { try connection.execute("CREATE TABLE t (x CHECK (x <> \"word\"))") } != nil)
    }

    @Test("The schema can't be written directly")
    func defensive() throws {
        let connection = try memory()
        try connection.execute("CREATE TABLE t (x); PRAGMA writable_schema = ON")
        #expect(error { try connection.execute("UPDATE sqlite_schema SET sql = 'rubbish'") } != nil)
        #expect(error { try connection.execute("DELETE FROM sqlite_schema") } != nil)
    }

    @Test("A read-only connection writes nothing")
    func readOnly() throws {
        let path = directory.file("c.db")
        let writer = try Connection(path: path, access: .readWriteCreate)
        try writer.execute("CREATE TABLE t (x)")
        let reader = try Connection(path: path, access: .readOnly)
        #expect(error { try reader.run("INSERT INTO t VALUES (1)") }?.isReadOnly == true)
    }

    @Test(
        "A file without writers is read without additional files, with any characters in its path",
        arguments: [
            "c.db", "a?mode=memory", "100%25.db", "with space.db", "Ünïcødé 数.db", "#x.db", "file:x.db",
        ])
    func immutable(name: String) throws {
        let path = directory.file(name)
        let writer = try Connection(path: path, access: .readWriteCreate)
        try writer.useWriteAheadLog()
        try writer.execute("CREATE TABLE t (x); INSERT INTO t VALUES (1)")
        writer.close()
        let reader = try Connection(path: path, access: .immutable)
        #expect(try reader.ints("SELECT x FROM t") == [1])
        #expect(try files(in: directory.path) == [name])
        #expect(error { try reader.run("INSERT INTO t VALUES (2)") }?.isReadOnly == true)
        #expect(throws: SQLiteError.self) { try Connection(path: path + "x", access: .immutable) }
    }

    @Test(
        "A relative path is left as it is: whoever opens it follows its links",
        arguments: [
            ("link/../c.db", "file:./link/../c.db"), ("a//../c.db", "file:./a//../c.db"),
            ("~x.db", "file:./~x.db"), ("a?b#c%.db", "file:./a%3Fb%23c%25.db"),
            ("/a b/../c.db", "file:///a%20b/../c.db"),
        ])
    func relative(path: String, uri: String) { #expect(Connection.uri(of: path) == uri) }

    @Test("A file without its log's index is read with the log, and no file is created")
    func unlocked() throws {
        let path = directory.file("c.db")
        let writer = try Connection(path: path, access: .readWriteCreate)
        try writer.useWriteAheadLog()
        try writer.execute("CREATE TABLE t (x); INSERT INTO t VALUES (1)")
        let copy = directory.file("d.db")
        for suffix in ["", "-wal"] {
            try FileManager.default.copyItem(atPath: path + suffix, toPath: copy + suffix)
        }
        let reader = try Connection(path: copy, access: .unlocked)
        #expect(try reader.ints("SELECT x FROM t") == [1])
        #expect(!FileManager.default.fileExists(atPath: copy + "-shm"))
        #expect(error { try reader.run("INSERT INTO t VALUES (2)") }?.isReadOnly == true)
    }

    @Test("A database in memory has no log and needs none")
    func memoryNeedsNoLog() throws {
        let connection = try memory()
        try connection.useWriteAheadLog()
        #expect(try connection.value("PRAGMA journal_mode") == .text("memory"))
    }

    @Test("A log that can't be used is an error")
    func logRefused() throws {
        let path = directory.file("c.db")
        try Connection(path: path, access: .readWriteCreate).execute("CREATE TABLE t (x)")
        let reader = try Connection(path: path, access: .readOnly)
        #expect(error { try reader.useWriteAheadLog() } != nil)
    }

    @Test("Use after close is an error; a second close is not")
    func closed() throws {
        let path = directory.file("c.db")
        let connection = try Connection(path: path, access: .readWriteCreate)
        try connection.execute("CREATE TABLE t (x)")
        _ = try connection.ints("SELECT x FROM t")
        connection.close()
        connection.close()
        #expect(try openDescriptors(of: path) == 0)
        for use in [
            { try connection.execute("SELECT 1") }, { try connection.run("DELETE FROM t") },
            { _ = try connection.ints("SELECT x FROM t") }, { try connection.immediate {} },
            { try connection.deferred {} },
        ] as [() throws -> Void] {
            #expect(error(use)?.code == SQLITE_MISUSE)
        }
    }

    @Test("Releasing a connection closes it and its statements")
    func letGo() throws {
        let path = directory.file("c.db")
        var connection: Connection? = try Connection(path: path, access: .readWriteCreate)
        try connection?.execute("CREATE TABLE t (x)")
        _ = try connection?.ints("SELECT x FROM t")
        #expect(try openDescriptors(of: path) > 0)
        connection = nil
        #expect(try openDescriptors(of: path) == 0)
    }
}
