import Glibc
import SQLite
import TestSupport
import Testing

@Suite struct ShortWorkTests {
    @Test("Work that runs now is done on the caller's thread, or left to others")
    func now() async throws {
        let directory = try TemporaryDirectory()
        let path = directory.file("a.db")
        let database = Database { try Connection(path: path, access: .readWriteCreate) }
        #expect(try database.runNow { try $0.firstInt("SELECT 1") } == nil, "not open yet")
        try await database.run { try $0.execute("CREATE TABLE t (x)") }

        let thread = pthread_self()
        #expect(try database.runNow { _ in pthread_equal(pthread_self(), thread) != 0 } == true)
        #expect(throws: CancellationError.self) { try database.runNow { _ in throw CancellationError() } }
        #expect(try database.runNow { try $0.execute("rubbish") } == nil)
        #expect(try database.runNow { _ in try database.runNow { _ in 1 } == nil } == true, "busy")
        // Another connection's lock is not waited for.
        let other = try Connection(path: path, access: .readWrite)
        let written = try other.immediate {
            try database.runNow { try $0.run("INSERT INTO t VALUES (1)") }
        }
        #expect(written == nil)
        #expect(try database.runNow { try $0.run("INSERT INTO t VALUES (1)") } == 1)
        await database.close()
        #expect(try database.runNow { try $0.firstInt("SELECT 1") } == nil)
    }

    @Test("A limit of instructions ends what takes more, and counts anew each time")
    func instructions() throws {
        let connection = try memory()
        for _ in 0..<20 {
            #expect(
                try connection.limited(toThousands: 2) { try connection.firstInt(countingTo(100)) } == 100)
        }
        let error = error {
            try connection.limited(toThousands: 2) { try connection.run(countingTo(10_000)) }
        }
        #expect(error?.isInterrupted == true)
        #expect(try connection.firstInt(countingTo(10_000)) == 10_000)
    }
}
