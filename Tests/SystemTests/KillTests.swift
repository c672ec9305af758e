import DemoUpstream
import Foundation
import Glibc
import Model
import SQLite
import TestSupport
import Testing
import UserdAPI

@Suite("Killed in the middle", .timeLimit(.minutes(10)))
struct KillTests {
    /// When a sync's daemon is killed.
    private enum Moment: CaseIterable {
        /// While upstream still owes a page.
        case fetching
        /// After the last page was asked for: before the commit, in it or after it.
        case committing
        /// Once the commit has been told.
        case told
    }

    @Test("A daemon that is killed during a sync leaves the old users or the new, and goes on from there")
    func kills() async throws {
        try await onMachine(users: 250) { machine in
            var random = SeededRandom(seed: 1)
            // With validators, which must be those of the rows that a kill leaves.
            try await machine.upstream.setFaults([Fault(.etag, path: "/api")])
            let settings = ["users.page_size": "50", "users.pages": "20", "paused": "true"]
            var userd = try await machine.startUserd(settings)
            for round in 0..<Volume.kills {
                let moment = Moment.allCases[round % Moment.allCases.count]
                let state = try await machine.sync(.users)
                #expect(state.phase == .loaded, "round \(round): \(state.failure?.message ?? "")")
                let old = try await machine.upstreamUsers()
                try machine.upstream.edit(Edit(added: 7, changed: .first(1000), removed: .first(3)))
                let new = try await machine.upstreamUsers()

                let last = new.count / 50 + 1
                let page = moment == .fetching ? Int.random(in: 1..<last, using: &random) : last
                machine.upstream.forgetRequests()
                var arrivals = machine.upstream.arrivals().makeAsyncIterator()
                async let reply = try? machine.call(
                    .sync, Sync(resources: [.users], wait: moment == .told))
                if moment == .told {
                    _ = await reply
                } else {
                    while let arrival = await arrivals.next(), !arrival.uri.contains("page=\(page)&") {}
                }
                if moment == .committing {
                    try await Task.sleep(for: .milliseconds(.random(in: 0..<60, using: &random)))
                }
                userd.send(SIGKILL)
                #expect(try await userd.ended() == .signalled(SIGKILL))
                _ = await reply

                let isNew = try machine.checkKilledCache(old: old, new: new, index: state.index)
                if moment == .told { #expect(isNew) }
                // The kill may come late on a busy machine.
                let isComplete = machine.upstream.recentRequests.contains { $0.uri.contains("page=\(last)&") }
                if !isComplete { #expect(!isNew) }
                userd = try await machine.startUserd(settings)
            }
            #expect(try await machine.sync(.users).phase == .loaded)
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
