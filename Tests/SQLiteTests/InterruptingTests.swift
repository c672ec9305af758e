import SQLite
import Testing

@Suite("Interrupting", .timeLimit(.minutes(1)))
struct InterruptingTests {
    @Test("A statement without an end ends when its time is up, and the connection goes on")
    func endless() throws {
        let connection = try memory()
        let endless = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT count(*) FROM c"
        for limit in [Duration.zero, .milliseconds(30)] {
            let failure = error { try connection.within(limit) { try connection.ints(endless) } }
            #expect(failure?.isInterrupted == true)
        }
        #expect(try connection.ints("SELECT 1") == [1])
    }

    @Test("What ends in time is as it is without a limit")
    func inTime() throws {
        let connection = try memory()
        let long = """
            WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c WHERE x < 500000) SELECT count(*) FROM c
            """
        #expect(try connection.within(.seconds(3600)) { try connection.ints(long) } == [500_000])
        #expect(error { try connection.within(.seconds(3600)) { try connection.ints("SELEC") } }?.code == 1)
    }
}
