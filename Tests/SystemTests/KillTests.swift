import DemoUpstream
import Foundation
import Glibc
import Model
import SQLite
import TestSupport
import Testing
import UserdAPI

@Suite("Killed in the middle", .timeLimit(.minutes(3)))
struct KillTests {
    @Test("A daemon that is killed during a sync leaves the old users or the new, and goes on from there")
    func kills() async throws {
        let seed = UInt64.random(in: 0...UInt64(UInt32.max))
        print("Kills at random moments: seed \(seed)")
        try await onMachine(users: 250) { machine in
            var random = SeededRandom(seed: seed)
            // With validators, which must be those of the rows that a kill leaves.
            try await machine.upstream.setFaults([
                Fault(.delay(milliseconds: 5), path: "/api"), Fault(.etag, path: "/api"),
            ])
            let settings = ["users.page_size": "50", "users.pages": "10", "paused": "true"]
            var userd = try await machine.startUserd(settings)
            var outcomes = [false: 0, true: 0]
            for round in 1...50 {
                let started = ContinuousClock.now
                let state = try await machine.sync(.users)
                let duration = ContinuousClock.now - started
                #expect(state.phase == .loaded, "round \(round): \(state.failure?.message ?? "")")
                let old = try await machine.upstreamUsers()

                try machine.upstream.edit(Edit(added: 7, changed: .first(1000), removed: .first(3)))
                let new = try await machine.upstreamUsers()
                var arrivals = machine.upstream.arrivals().makeAsyncIterator()
                async let reply = try? machine.call(.sync, Sync(resources: [.users]))
                // Half of the kills are anywhere, and half after the last page was asked for, where the commit is.
                var span = duration * 1.3
                if round.isMultiple(of: 2) {
                    let lastPage = "page=\(new.count / 50 + 1)&"
                    while let arrival = await arrivals.next(), !arrival.uri.contains(lastPage) {}
                    span = duration * 0.3
                }
                try await Task.sleep(for: span * Double.random(in: 0..<1, using: &random))
                userd.send(SIGKILL)
                #expect(try await userd.ended() == .signalled(SIGKILL))
                _ = await reply

                let isNew = try machine.checkKilledCache(old: old, new: new, index: state.index)
                outcomes[isNew, default: 0] += 1
                userd = try await machine.startUserd(settings)
            }
            #expect(try await machine.sync(.users).phase == .loaded)
            print(
                "Kills at random moments: \(outcomes[false] ?? 0) left the old users, \(outcomes[true] ?? 0) the new"
            )
            // Or the moments were not spread over the sync.
            #expect(outcomes.values.allSatisfy { $0 > 0 })
        }
    }
}

extension Machine {
    /// Everybody's address by their id, as upstream has them now: both tell one edition of the people from another.
    fileprivate func upstreamUsers() async throws -> [String: String] {
        let body = try await fetchBody(port: upstream.port, "/api/?seed=system&results=1000&inc=email,login")
        let records = try Payload(name: "", text: String(decoding: body, as: UTF8.self)).records("results")
        let users = try records.map(expectedFields).map { ($0["id"] ?? "", $0["email"] ?? "") }
        return Dictionary(uniqueKeysWithValues: users)
    }

    /// - Parameter index: of the commit before.
    /// - Returns: whether the users are the new ones.
    fileprivate func checkKilledCache(
        old: [String: String], new: [String: String], index: Int
    ) throws -> Bool {
        let connection = try Connection(path: database, access: .readOnly)
        let rows = try connection.rows("SELECT id, email FROM users") { (try $0.text(0), try $0.text(1)) }
        let users = Dictionary(uniqueKeysWithValues: rows)
        let isNew = users == new
        #expect(isNew || users == old, "a mixture: \(users.count) of \(old.count) or \(new.count)")

        let states = try connection.rows("SELECT state FROM resources WHERE resource = 'users'") {
            try decoded(State.self, from: try $0.bytes(0))
        }
        let state = try #require(states.first)
        #expect(state.count == users.count)
        #expect((state.cause.isCommitted && state.index > index) == isNew)
        #expect(try connection.rows("PRAGMA integrity_check") { try $0.text(0) } == ["ok"])
        connection.close()
        try checkHistory()
        try checkSearch()
        return isNew
    }

    /// Numbered without a gap, and of each resource no transition twice.
    private func checkHistory() throws {
        let connection = try Connection(path: database, access: .readOnly)
        let history = try connection.rows("SELECT number, state FROM transitions ORDER BY number") {
            (number: try $0.int(0), state: try decoded(State.self, from: try $0.bytes(1)))
        }
        let last = try connection.first("SELECT last_index FROM cache") { try $0.int(0) }
        #expect(history.map(\.number) == Array(1...(last ?? 0)))
        #expect(history.map(\.state.index) == history.map(\.number))
        #expect(Set(history.map(\.state.epoch)).count == 1)
        for resource in Resource.allCases {
            let phases = history.map(\.state).filter { $0.resource == resource }.map(\.phase)
            for (number, phase) in phases.enumerated() {
                #expect((phase == .syncing) == number.isMultiple(of: 2), "\(resource): \(phases)")
            }
        }
    }

    /// FTS5 checks its index against the rows only where it may write: on a copy, so that the daemon finds what the kill left.
    private func checkSearch() throws {
        let copy = file("copy")
        try? FileManager.default.removeItem(atPath: copy)
        try FileManager.default.copyItem(atPath: cacheDirectory, toPath: copy)
        let connection = try Connection(path: copy + "/userd.db", access: .readWrite)
        for table in ["user_words", "fact_words"] {
            try connection.run("INSERT INTO \(table) (\(table), rank) VALUES ('integrity-check', 1)")
        }
    }
}
