import DemoUpstream
import Foundation
import Glibc
import Migrations
import Model
import SQLite
import TestSupport
import Testing
import UserdAPI

@Suite("Caches of other versions", .timeLimit(.hang))
struct UpgradeTests {
    @Test(
        "An upgrade from any schema keeps states, history, epoch and rows, and a watch continues",
        arguments: 1..<migrations.count)
    func upgrade(from schema: Int) async throws {
        try await onMachine(users: 30) { machine in
            let settings = ["users.page_size": "30", "paused": "true"]
            let before = try await machine.startUserd(settings)
            for resource in Resource.allCases { _ = try await machine.sync(resource) }
            let states = try await machine.call(.getState, NoParameters()).states
            let history = try await machine.call(.history, History()).states
            let users = try await machine.users()
            let reader = Reader(since: 1, epoch: states[0].epoch)
            try await reader.read(1, at: machine.socket)
            before.send(SIGTERM)
            #expect(try await before.ended() == .exited(0))
            try machine.rewriteCache(asOf: schema)

            try await machine.startUserd(settings)
            #expect(
                try await machine.call(.getState, NoParameters()).states.map(\.undated)
                    == states.map(\.undated))
            #expect(try await machine.call(.history, History()).states == history)
            #expect(try await machine.users() == users)
            let last = try #require(users.last)
            #expect(
                try await machine.call(.listUsers, ListUsers(search: last.name.last)).users.contains(last))
            try machine.upstream.edit(Edit(changed: .first(3)))
            #expect(try await machine.sync(.users).phase == .loaded)
            try await reader.read(4, at: machine.socket)
            #expect(reader.states.map(\.index) == [2, 3, 4, 5, 6])
            #expect(Set(reader.states.map(\.epoch)) == [states[0].epoch])
            // Rows from before schema 6 are all written again, with their new columns; those from before schema 12 where the
            // migration, which knows ASCII letters alone, has made another column than userd does.
            let kept = Set(users).intersection(try await machine.users())
            #expect(kept.count == users.count - 3)
            let rewritten = kept.count {
                schema < 6 || schema < 12 && $0.address.city?.utf8.allSatisfy { $0 < 0x80 } == false
            }
            #expect(rewritten > 0 || schema >= 12)
            #expect(reader.states.last?.cause == .committed(Changes(changed: 3 + rewritten)))
            #expect(try machine.schema() == migrations.count)
        }
    }

    @Test("A newer schema is refused with advice, and the file is left as it is")
    func downgrade() async throws {
        try await onMachine { machine in
            let userd = try await machine.startUserd(["paused": "true"])
            userd.send(SIGTERM)
            try await userd.ended()
            let connection = try Connection(path: machine.database, access: .readWrite)
            try connection.execute("PRAGMA user_version = 999")
            connection.close()
            let before = FileManager.default.contents(atPath: machine.database)

            let refusing = try machine.start(.userd, machine.arguments())
            #expect(try await refusing.ended() == .exited(1))
            #expect(
                refusing.text(.errors).hasSuffix(
                    """
                    userd: \(machine.database): this cache has schema 999 and this userd knows up to \
                    \(migrations.count); install the newer userd, or remove the file to sync again

                    """))
            #expect(FileManager.default.contents(atPath: machine.database) == before)
            #expect(access(machine.socket, F_OK) != 0)
        }
    }
}

extension Machine {
    /// Makes the cache one of a userd with only the first migrations.
    fileprivate func rewriteCache(asOf schema: Int) throws {
        let old = file("old.db")
        let connection = try Connection(path: old, access: .readWriteCreate)
        try Migrator(applicationID: applicationID, migrations: Array(migrations.prefix(schema)))
            .migrate(connection, now: "then")
        try connection.run("ATTACH ? AS today", [.text(database)])
        // The columns that each table has had since the first schema.
        let hasRecords = schema >= 8
        for (table, columns) in [
            ("cache", "id, epoch, last_index"), ("resources", "resource, state, before, interval_ms"),
            ("transitions", "*"), ("facts", "*"),
            (
                "users",
                "number, id, username, email, gender, nationality, name_key, registered_at, words"
                    + (schema < 6 ? "" : ", digits, age_key") + (hasRecords ? "" : ", record")
                    + (schema < 12
                        ? "" : ", department_key, title_key, city_key, country_key, company_key, manager_key")
            ), ("user_records", "*"),
        ] where table != "user_records" || hasRecords {
            let names = columns == "*" ? "" : " (\(columns))"
            let records = table == "users" ? " JOIN today.user_records USING (number)" : ""
            try connection.run(
                "INSERT INTO main.\(table)\(names) SELECT \(columns) FROM today.\(table)\(records)")
        }
        if schema < 6 { try connection.run("UPDATE main.users SET age = record ->> '$.age'") }
        for table in ["user_words", "fact_words"] {
            try connection.run("INSERT INTO main.\(table) (\(table)) VALUES ('rebuild')")
        }
        connection.close()
        try FileManager.default.removeItem(atPath: database)
        try FileManager.default.moveItem(atPath: old, toPath: database)
        chmod(database, 0o600)
    }

    fileprivate func schema() throws -> Int? {
        try Connection(path: database, access: .readOnly).first("PRAGMA user_version") { try $0.int(0) }
    }
}

extension State {
    /// The state without what depends on the time of the request.
    fileprivate var undated: State {
        var state = self
        state.stale = false
        return state
    }
}
