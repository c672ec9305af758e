import DemoUpstream
import Model
import StateRecording
import StrictJSON
import Synchronization
import TestSupport
import UserdAPI
import Varlink

/// Clients of a daemon that may be killed at any moment: one changes the people and syncs, some read, and
/// some watch. Each continues until its connection ends.
final class KillLoad: Sendable {
    /// Observations of the clients, which the cache must contain.
    struct Told: Sendable {
        /// The newest edition that a client has seen.
        var edition = 0
        var states: [RecordedState] = []
        /// Observations that no client should make.
        var faults: [String] = []
    }

    private let machine: Machine
    private let told: Mutex<Told>
    /// The last 100 editions by number.
    private let editions: Mutex<[Int: Addresses]>
    private let states = Atomic(0)

    /// - Parameter users: edition 0, the users in the cache.
    init(_ machine: Machine, users: Addresses) {
        self.machine = machine
        told = Mutex(Told())
        editions = Mutex([0: users])
    }

    /// The number of transitions that watchers have received.
    var watchedStates: Int { states.load(ordering: .relaxed) }

    /// Runs all clients until the daemon ends.
    func run(readers: Int = 2, watchers: Int = 2) async {
        await withTaskGroup { group in
            group.addTask { await self.write() }
            for _ in 0..<readers { group.addTask { try? await onThread { try self.read() } } }
            for _ in 0..<watchers { group.addTask { try? await onThread { try self.watch() } } }
        }
    }

    /// Returns what clients have seen since the last call, and keeps the newest edition.
    func takeTold() -> Told {
        told.withLock { told in
            defer { told = Told(edition: told.edition) }
            return told
        }
    }

    /// - Returns: nil for a mixture of editions.
    func edition(of users: Addresses) -> Int? {
        editions.withLock { $0.first { $0.value == users }?.key }
    }

    private func write() async {
        while true {
            do {
                try machine.upstream.edit(
                    Edit(added: 3, changed: .first(40), removed: .first(2)))
                let users = try await machine.upstreamAddresses()
                let number = editions.withLock { editions in
                    let number = (editions.keys.max() ?? 0) + 1
                    editions[number] = users
                    editions[number - 100] = nil
                    return number
                }
                let states = try await machine.call(.sync, Sync(wait: true)).states
                for state in states where state.phase != .loaded {
                    fault("\(state.resource) \(state.phase): \(state.failure?.message ?? "")")
                }
                see(number)
            } catch {
                return
            }
        }
    }

    private func read() throws {
        let client = try VarlinkClient(path: machine.socket)
        while true {
            let least = told.withLock { $0.edition }
            let reply = try client.call(
                UserdInterface.qualified("ListUsers"), parameters: try encoded(ListUsers(limit: 1000)),
                timeout: .seconds(60))
            let users = try decoded(UserList.self, from: reply).users
            guard
                let number = edition(
                    of: Addresses(uniqueKeysWithValues: users.map { ($0.id, $0.email ?? "") }))
            else {
                fault("a mixture was read: \(users.count) users")
                continue
            }
            if number < least { fault("edition \(number) was read after \(least)") }
            see(number)
        }
    }

    private func watch() throws {
        let client = try VarlinkClient(path: machine.socket)
        var snapshot: [Int] = []
        var last: Int?
        try client.callMore(UserdInterface.qualified("Watch"), timeout: nil) { reply in
            let state = RecordedState(try decoded(WatchedState.self, from: Array(reply.raw)).state)
            told.withLock { $0.states.append(state) }
            if let before = last {
                if state.index != before + 1 { fault("after #\(before) came #\(state.index)") }
                last = state.index
                states.add(1, ordering: .relaxed)
            } else {
                snapshot.append(state.index)
                if snapshot.count == Resource.allCases.count { last = snapshot.max() }
            }
            return .proceed
        }
    }

    private func see(_ number: Int) {
        told.withLock { $0.edition = max($0.edition, number) }
    }

    private func fault(_ what: String) {
        told.withLock { $0.faults.append(what) }
    }
}
