import Cache
import Model
import Sync
import TestSupport
import Testing
import UserdAPI
import Varlink

@testable import Daemon

@Suite(.timeLimit(.hang)) struct WatchTests {
    @Test("Watch begins with the state of each resource and reports each transition once")
    func watch() async throws {
        try await Daemon.with { daemon in
            let client = try await daemon.watch()
            let first = try await client.states(2)
            #expect(try await daemon.call(.getState, NoParameters()).states == first)
            _ = try await daemon.call(.sync, Sync(resources: [.users], wait: true))
            let transitions = try await client.states(2)
            #expect(transitions.map(\.index) == [5, 6] && transitions.map(\.phase) == [.syncing, .loaded])
            client.stop()
        }
    }

    @Test("Watch with since continues after that index, and with resources reports only those")
    func since() async throws {
        try await Daemon.with { daemon in
            let all = try await daemon.watch(#"{"since":1,"epoch":"epoch-1"}"#)
            #expect(try await all.states(3).map(\.index) == [2, 3, 4])
            let users = try await daemon.watch(#"{"since":0,"resources":["users"]}"#)
            #expect(try await users.states(2).map(\.resource) == [.users, .users])
            _ = try await daemon.call(.sync, Sync(resources: [.facts], wait: true))
            _ = try await daemon.call(.sync, Sync(resources: [.users], wait: true))
            #expect(try await all.states(4).map(\.index) == [5, 6, 7, 8])
            #expect(try await users.states(2).map(\.index) == [7, 8])
            all.stop()
            users.stop()
        }
    }

    @Test("Watch with progress reports between transitions, under the index of the one to syncing")
    func progress() async throws {
        try await Daemon.with { daemon in
            let client = try await daemon.watch(#"{"progress":true,"resources":["users"]}"#)
            _ = try await client.next()
            // The previous sync has just reported progress.
            daemon.clock.advance(by: .seconds(1))
            _ = try await daemon.call(.sync, Sync(resources: [.users], wait: true))
            let states = try await client.states(3)
            #expect(states.map(\.index) == [5, 5, 6])
            let count = User.samples.count
            #expect(states.map(\.progress) == [nil, Progress(done: count, total: count), nil])
            client.stop()
        }
    }

    @Test(
        "A sync of several pages is two transitions with consecutive indexes and reports between them",
        arguments: [1, 5, 100])
    func pages(_ pages: Int) async throws {
        let users = (0..<200).map { User(id: "u\($0)", name: User.Name(first: "Ada", last: "Lovelace")) }
        try await Daemon.with(synced: false, upstream: .init(users: users, pages: pages)) { daemon in
            let transitions = try await daemon.watch(#"{"resources":["users"]}"#)
            let reports = try await daemon.watch(#"{"resources":["users"],"progress":true}"#)
            for client in [transitions, reports] { #expect(try await client.next().index == 0) }
            for first in [1, 3] {
                _ = try await daemon.call(.sync, Sync(resources: [.users], wait: true))
                let two = try await transitions.states(2)
                #expect(two.map(\.index) == [first, first + 1] && two.map(\.phase) == [.syncing, .loaded])
                var all: [State] = []
                while all.last?.phase != .loaded { all.append(try await reports.next()) }
                #expect(all.dropLast().allSatisfy { $0.index == first && $0.phase == .syncing })
                #expect(all.first?.progress == nil && all.last?.index == first + 1)
                let done = all.dropFirst().dropLast().map { $0.progress?.done ?? 0 }
                #expect(done == done.sorted() && (1...pages).contains(done.count))
                daemon.clock.advance(by: .seconds(1))
            }
            transitions.stop()
            reports.stop()
        }
    }

    @Test(
        "Watch fails with SequenceGone if the transitions are no longer kept",
        arguments: [#"{"since":0}"#, #"{"since":9}"#, #"{"since":4,"epoch":"another"}"#, #"{"since":-1}"#])
    func gone(parameters: String) async throws {
        try await Daemon.with(maximumHistory: 2) { daemon in
            let error = try await daemon.error("Watch", parameters, more: true)
            #expect(error == .sequenceGone(epoch: "epoch-1", oldest: 3, newest: 4))
        }
    }

    @Test("A watcher that does not read gets FellBehind with the index to continue after")
    func fellBehind() async throws {
        try await Daemon.with(watchQueue: 2) { daemon in
            let answer = try await daemon.service.handler().handle(
                MethodCall(method: "io.userd.Watch", parameters: Array(#"{"since":4}"#.utf8), more: true))
            guard case .stream(let replies) = answer else {
                Issue.record("no stream")
                return
            }
            _ = try await daemon.call(.sync, Sync(resources: [.users], wait: true))
            let reply = try #require(try await replies.next())
            #expect(reply.continues)
            #expect(try decoded(WatchedState.self, from: reply.parameters).state.index == 5)
            for _ in 0..<2 { _ = try await daemon.call(.sync, Sync(resources: [.users], wait: true)) }
            let error = try await #require(throws: VarlinkError.self) { try await replies.next() }
            try expectDeclared(error)
            #expect(UserdError(wire: error) == .fellBehind(epoch: "epoch-1", index: 5))
            let resumed = try await daemon.watch(#"{"since":5,"epoch":"epoch-1"}"#)
            #expect(try await resumed.states(5).map(\.index) == Array(6...10))
            resumed.stop()
        }
    }

    @Test("Watch fails with CacheUnavailable if the history can't be read")
    func pastUnreadable() async throws {
        try await Daemon.with(watchQueue: 1) { daemon in
            let answer = try await daemon.service.handler().handle(
                MethodCall(method: "io.userd.Watch", parameters: Array(#"{"since":0}"#.utf8), more: true))
            guard case .stream(let replies) = answer else {
                Issue.record("no stream")
                return
            }
            await daemon.cache.reader.close()
            let error = try await #require(throws: VarlinkError.self) { try await replies.next() }
            try expectDeclared(error)
            guard case .cacheUnavailable = UserdError(wire: error) else {
                Issue.record("\(error)")
                return
            }
        }
    }

    @Test("Watch without more fails with ExpectedMore")
    func expectedMore() async throws {
        try await Daemon.with(synced: false) { daemon in
            await #expect(throws: VarlinkError.expectedMore) { try await daemon.call("Watch") }
        }
    }

    @Test("A watcher that disconnects is removed")
    func leaves() async throws {
        try await Daemon.with { daemon in
            let client = try await daemon.watch()
            _ = try await client.states(2)
            #expect(await daemon.engine.watcherCount == 1)
            client.stop()
            while await daemon.engine.watcherCount > 0 { await Task.yield() }
        }
    }

    @Test("A daemon that ends closes the connections of watchers")
    func ends() async throws {
        let held = Held()
        try await Daemon.with { daemon in
            let client = try await daemon.watch()
            _ = try await client.states(2)
            await held.set(client)
        }
        await #expect(throws: VarlinkClientError.closed) { try await held.client?.next() }
    }

    private actor Held {
        var client: WatchClient?
        func set(_ client: WatchClient) { self.client = client }
    }
}
