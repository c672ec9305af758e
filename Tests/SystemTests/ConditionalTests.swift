import DemoUpstream
import Glibc
import Model
import SQLite
import TestSupport
import Testing
import UserdAPI

@Suite("Conditional requests", .timeLimit(.hang))
struct ConditionalTests {
    private static let threePages = ["users.page_size": "10", "users.pages": "3", "paused": "true"]

    @Test(
        "A sync asks with validators for each page, receives no unchanged page, and writes nothing",
        arguments: [Fault.Kind.etag, .lastModified])
    func unchanged(fault: Fault.Kind) async throws {
        try await onMachine(users: 30) { machine in
            try await machine.upstream.setFaults([Fault(fault)])
            try await machine.startUserd(Self.threePages)
            let first = try await machine.sync(.users)
            #expect(first.count == 30)
            let users = try await machine.users()
            let conditions = fault == .etag ? "if-none-match" : "if-modified-since"
            #expect(machine.upstream.recentRequests.map { $0.headers[conditions] } == [nil, nil, nil])

            let journal = try Journal(machine.database)
            machine.upstream.forgetRequests()
            let second = try await machine.sync(.users)
            #expect(second.phase == .loaded && second.count == 30)
            #expect(try #require(second.syncedAt) > #require(first.syncedAt))
            #expect(try await machine.users() == users)
            #expect(try journal.writes() == [])
            let requests = machine.upstream.recentRequests
            #expect(requests.count == 3 && requests.allSatisfy { $0.headers[conditions] != nil })
            #expect(machine.upstream.unchangedCount == 3)
        }
    }

    @Test("A sync receives only the changed page, and writes only its changed rows")
    func changed() async throws {
        try await onMachine(users: 30) { machine in
            try await machine.upstream.setFaults([Fault(.etag)])
            try await machine.startUserd(Self.threePages)
            _ = try await machine.sync(.users)
            let before = try await machine.users()
            let journal = try Journal(machine.database)
            try machine.upstream.edit(Edit(changed: .records([13])))
            #expect(try await machine.sync(.users).count == 30)
            #expect(machine.upstream.unchangedCount == 2)
            #expect(
                try journal.writes().sorted() == [
                    "DELETE pages", "INSERT pages", "UPDATE user_records", "UPDATE users",
                ])
            let after = try await machine.users()
            #expect(Set(after).subtracting(before).count == 1)
            #expect(after.map(\.id).sorted() == before.map(\.id).sorted())

            // The same rows as from an upstream without validators.
            try await machine.upstream.setFaults([])
            #expect(try await machine.sync(.users).count == 30)
            #expect(try await machine.users() == after)
        }
    }

    @Test("After a change of the settings, a sync fetches all pages; after a restart alone, it does not")
    func otherSettings() async throws {
        try await onMachine(users: 30) { machine in
            try await machine.upstream.setFaults([Fault(.etag)])
            var userd = try await machine.startUserd(Self.threePages)
            _ = try await machine.sync(.users)
            userd.send(SIGTERM)
            try await userd.ended()
            userd = try await machine.startUserd(Self.threePages)
            #expect(try await machine.sync(.users).count == 30)
            #expect(machine.upstream.unchangedCount == 3)
            userd.send(SIGTERM)
            try await userd.ended()
            var fewer = Self.threePages
            fewer["users.pages"] = "2"
            try await machine.startUserd(fewer)
            #expect(try await machine.sync(.users).count == 20)
            #expect(machine.upstream.unchangedCount == 3)
        }
    }

    @Test("A sync fails if upstream answers 304 to everything, and the rows stay")
    func always304() async throws {
        try await onMachine(users: 30) { machine in
            try await machine.startUserd(Self.threePages)
            _ = try await machine.sync(.users)
            try await machine.upstream.setFaults([Fault(.status(304))])
            let state = try await machine.sync(.users)
            #expect(state.phase == .error && state.count == 30)
            #expect(state.failure?.kind == .http && state.failure?.httpStatus == 304)
            #expect(try #require(state.failure).message.contains("answered 304"))
        }
    }
}

@Suite("An upstream with endless pages", .timeLimit(.hang))
struct EndlessPagesTests {
    @Test("A sync gives up after twenty pages without new users, and the rows stay")
    func ignoresPage() async throws {
        try await onMachine(users: 30) { machine in
            try await machine.startUserd([
                "users.page_size": "10", "users.pages": "1000", "paused": "true",
            ])
            #expect(try await machine.sync(.users).count == 30)
            try await machine.upstream.setFaults([Fault(.ignoresPage, path: "/api")])
            machine.upstream.forgetRequests()
            let state = try await machine.sync(.users)
            #expect(state.phase == .error && state.count == 30)
            #expect(state.failure?.kind == .decode && state.failure?.retryable == true)
            #expect(try #require(state.failure).message.contains("upstream repeats itself"))
            #expect(machine.upstream.requests(for: "/api") == 21)
        }
    }

    @Test("A sync of facts gives up when the last page keeps growing, and the rows stay")
    func lastPageGrows() async throws {
        try await onMachine { machine in
            try await machine.startUserd(["facts.page_size": "20", "paused": "true"])
            let count = try await machine.sync(.facts).count
            try await machine.upstream.setFaults([Fault(.lastPageGrows, path: "/facts")])
            machine.upstream.forgetRequests()
            let state = try await machine.sync(.facts)
            #expect(state.phase == .error && state.count == count)
            #expect(state.failure?.kind == .decode)
            #expect(machine.upstream.requests(for: "/facts") == 24)
        }
    }
}

/// Records writes to rows and pages from its creation on.
private struct Journal {
    private let connection: Connection

    init(_ path: String) throws {
        connection = try Connection(path: path, access: .readWrite)
        try connection.execute("CREATE TABLE writes (what TEXT)")
        for table in ["users", "user_records", "pages", "page_users"] {
            for event in ["INSERT", "UPDATE", "DELETE"] {
                try connection.execute(
                    """
                    CREATE TRIGGER \(table)_\(event) AFTER \(event) ON \(table)
                    BEGIN INSERT INTO writes VALUES ('\(event) \(table)'); END
                    """)
            }
        }
    }

    func writes() throws -> [String] {
        try connection.rows("SELECT DISTINCT what FROM writes") { try $0.text(0) }
    }
}
