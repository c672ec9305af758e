import DemoUpstream
import Foundation
import Model
import SQLite
import StateRecording
import TestSupport
import Testing
import UserdAPI

/// The users' addresses by id: they differ between any two editions of an upstream.
typealias Addresses = [String: String]

/// The content of a killed daemon's cache.
struct KilledCache {
    let users: Addresses
    let states: [Resource: State]
    /// All transitions in the history.
    let transitions: [RecordedState]

    /// Checks what must be true of every cache, however its daemon ended.
    /// - Parameter index: transitions up to this one were checked before.
    init(of machine: Machine, after index: Int = 0) throws {
        let connection = try Connection(path: machine.database, access: .readOnly)
        let rows = try connection.rows("SELECT id, email FROM users") { (try $0.text(0), try $0.text(1)) }
        users = Addresses(uniqueKeysWithValues: rows)
        let saved = try connection.rows("SELECT state FROM resources") {
            try decoded(State.self, from: try $0.bytes(0))
        }
        states = Dictionary(uniqueKeysWithValues: saved.map { ($0.resource, $0) })
        let facts = try connection.first("SELECT count(*) FROM facts") { try $0.int(0) }
        #expect(states[.users]?.count == users.count)
        #expect(states[.facts]?.count == facts)

        let history = try connection.rows(
            "SELECT number, state FROM transitions WHERE number > ? ORDER BY number", [index.value]
        ) { (number: try $0.int(0), state: try decoded(State.self, from: try $0.bytes(1))) }
        let last = try connection.first("SELECT last_index FROM cache") { try $0.int(0) } ?? 0
        #expect(history.map(\.number) == Array(index + 1..<max(index, last) + 1))
        #expect(history.map(\.state.index) == history.map(\.number))
        #expect(Set(history.map(\.state.epoch)).count <= 1)
        transitions = history.map { RecordedState($0.state) }
        for resource in Resource.allCases {
            let phases = transitions.filter { $0.resource == resource }.map(\.phase)
            let alternate = zip(phases, phases.dropFirst()).allSatisfy {
                ($0 == .syncing) != ($1 == .syncing)
            }
            #expect(alternate, "\(resource): \(phases)")
        }
        #expect(try connection.rows("PRAGMA integrity_check") { try $0.text(0) } == ["ok"])
        connection.close()
        try Self.checkSearch(machine)
    }

    /// FTS5 needs write access to check its index against the rows. A copy leaves the original to the daemon
    /// as the kill left it.
    private static func checkSearch(_ machine: Machine) throws {
        let copy = machine.file("copy")
        try? FileManager.default.removeItem(atPath: copy)
        try FileManager.default.copyItem(atPath: machine.cacheDirectory, toPath: copy)
        let connection = try Connection(path: copy + "/userd.db", access: .readWrite)
        for table in ["user_words", "fact_words"] {
            try connection.run("INSERT INTO \(table) (\(table), rank) VALUES ('integrity-check', 1)")
        }
    }
}

extension Machine {
    /// Upstream's current addresses.
    func upstreamAddresses() async throws -> Addresses {
        let body = try await fetchBody(port: upstream.port, "/api/?seed=system&results=1000")
        let records = try Payload(name: "", text: String(decoding: body, as: UTF8.self)).records("results")
        let users = try records.map(expectedFields).map { ($0["id"] ?? "", $0["email"] ?? "") }
        return Addresses(uniqueKeysWithValues: users)
    }
}
