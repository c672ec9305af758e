import CSQLite
import SQLite
import TestSupport
import Testing

@Suite("Transactions")
struct TransactionTests {
    private struct Stop: Error {}

    let directory: TemporaryDirectory
    let path: String
    let connection: Connection

    init() throws {
        directory = try TemporaryDirectory()
        path = directory.file("c.db")
        connection = try Connection(path: path, access: .readWriteCreate)
        try connection.useWriteAheadLog()
        try connection.execute("CREATE TABLE t (x)")
    }

    @Test("A transaction commits and returns the body's result")
    func committed() throws {
        #expect(try connection.immediate { try connection.run("INSERT INTO t VALUES (1)") } == 1)
        let other = try Connection(path: path, access: .readOnly)
        #expect(try other.ints("SELECT x FROM t") == [1])
    }

    @Test("A transaction rethrows the body's error and rolls back its writes")
    func rolledBack() throws {
        #expect(throws: Stop.self) {
            try connection.immediate {
                try connection.run("INSERT INTO t VALUES (1)")
                throw Stop()
            }
        }
        #expect(try connection.ints("SELECT x FROM t") == [])
        try connection.immediate { try connection.run("INSERT INTO t VALUES (2)") }
        #expect(try connection.ints("SELECT x FROM t") == [2])
    }

    @Test("A commit that fails leaves no transaction open")
    func failedCommit() throws {
        try connection.execute(
            """
            CREATE TABLE parent (id INTEGER PRIMARY KEY);
            CREATE TABLE child (parent REFERENCES parent DEFERRABLE INITIALLY DEFERRED);
            """)
        let error = error {
            try connection.immediate { try connection.run("INSERT INTO child VALUES (1)") }
        }
        #expect(error?.code == SQLITE_CONSTRAINT | (3 << 8))
        #expect(try connection.ints("SELECT parent FROM child") == [])
        try connection.immediate { try connection.run("INSERT INTO t VALUES (1)") }
    }

    @Test("An error that has already rolled back is thrown unchanged")
    func rolledBackAlready() throws {
        try connection.execute("CREATE TABLE once (x UNIQUE ON CONFLICT ROLLBACK)")
        let error = error {
            try connection.immediate { try connection.run("INSERT INTO once VALUES (1), (1)") }
        }
        #expect(error?.code == SQLITE_CONSTRAINT | (8 << 8))
        try connection.immediate { try connection.run("INSERT INTO t VALUES (1)") }
    }

    @Test("A nested transaction is an error, and the outer one continues if that is caught")
    func nested() throws {
        try connection.immediate {
            try connection.run("INSERT INTO t VALUES (1)")
            let error = error { try connection.immediate { try connection.run("INSERT INTO t VALUES (2)") } }
            #expect(error?.message == "cannot start a transaction within a transaction")
            try connection.run("INSERT INTO t VALUES (3)")
        }
        #expect(try connection.ints("SELECT x FROM t") == [1, 3])
    }

    @Test("A read transaction sees one snapshot, whatever another connection writes meanwhile")
    func snapshot() throws {
        try connection.run("INSERT INTO t VALUES (1)")
        let reader = try Connection(path: path, access: .readOnly)
        try reader.deferred {
            #expect(try reader.ints("SELECT x FROM t") == [1])
            try connection.immediate { try connection.run("INSERT INTO t VALUES (2)") }
            #expect(try reader.ints("SELECT x FROM t") == [1])
        }
        #expect(try reader.ints("SELECT x FROM t") == [1, 2])
    }

    @Test("Another connection's lock is waited for until the busy timeout")
    func busy() throws {
        let other = try Connection(path: path, access: .readWrite, busyTimeout: .milliseconds(50))
        try connection.immediate {
            let clock = ContinuousClock()
            let begun = clock.now
            #expect(error { try other.immediate {} as Void }?.isBusy == true)
            #expect(clock.now - begun >= .milliseconds(50))
            let read = try other.ints("SELECT x FROM t")
            #expect(read == [])
        }
        try other.immediate { try other.run("INSERT INTO t VALUES (1)") }
    }

    @Test(
        "A busy timeout is limited to what SQLite accepts",
        arguments: [(Duration.seconds(Int64.max), Int32.max), (.zero, 0)])
    func timeout(timeout: Duration, milliseconds: Int32) throws {
        let connection = try Connection(path: ":memory:", access: .readWriteCreate, busyTimeout: timeout)
        #expect(try connection.value("PRAGMA busy_timeout") == .integer(Int64(milliseconds)))
    }

    @Test("A full database keeps its rows, and can be written again once there is space")
    func full() throws {
        try connection.run("INSERT INTO t VALUES (1)")
        try connection.execute("PRAGMA max_page_count = 4")
        let error = error {
            try connection.immediate { try connection.run("INSERT INTO t VALUES (zeroblob(100000))") }
        }
        #expect(error?.primaryCode == SQLITE_FULL)
        #expect(try connection.ints("SELECT x FROM t") == [1])
        try connection.execute("PRAGMA max_page_count = 1000")
        try connection.immediate { try connection.run("INSERT INTO t VALUES (zeroblob(100000))") }
        #expect(try connection.value("PRAGMA integrity_check") == .text("ok"))
    }
}
