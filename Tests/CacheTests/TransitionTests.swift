import Cache
import Foundation
import Model
import SQLite
import TestSupport
import Testing

@Suite("Transitions in the cache")
struct TransitionTests {
    @Test("Indices are contiguous over all resources, and survive a restart with their epoch")
    func indices() async throws {
        let directory = try TemporaryDirectory()
        var cache = try await openCache(directory.file("c.db"))
        #expect(try await cache.writer.record(change(.users, .syncing)).transition.index == 1)
        #expect(try await cache.writer.record(change(.facts, .syncing)).transition.index == 2)
        await cache.close()
        cache = try await openCache(directory.file("c.db"))
        let change = try await cache.writer.record(change(.users, .error))
        #expect(change.transition.index == 3 && change.transition.epoch == "epoch-1")
        #expect(change.resource.state.index == 3)
        #expect(try await cache.reader.history(nil, 10).map(\.index) == [3, 2, 1])
        #expect(try await cache.reader.history(.users, 1).map(\.index) == [3])
        await cache.close()
    }

    @Test(
        "A failure's advice survives a restart, and a failure without a code, as 0.3.0 stores it, keeps its message"
    )
    func advice() async throws {
        let directory = try TemporaryDirectory()
        let path = directory.file("c.db")
        var cache = try await openCache(path)
        let failure = Failure(
            kind: .decode, message: "no list", retryable: true,
            advice: Advice(.check, about: "users.records"))
        var failed = change(.users, .error)
        failed.transition.failure = failure
        failed.resource.state.failure = failure
        for _ in 1...2 { _ = try await cache.writer.record(failed) }
        await cache.close()
        let connection = try Connection(path: path, access: .readWrite)
        try connection.execute(
            "UPDATE transitions SET state = json_remove(state, '$.failure.advice') WHERE number = 1")
        connection.close()
        cache = try await openCache(path)
        let stored = try await cache.reader.history(.users, 2).map(\.failure)
        #expect(stored[0] == failure)
        #expect(stored[1]?.advice == nil && stored[1]?.message == failure.message)
        #expect(stored[1]?.message == "no list; see users.records")
        #expect(try await cache.reader.resources()[.users]?.state.failure == failure)
        await cache.close()
    }

    @Test(
        "Messages that quote a secret in place of its path are removed when the cache is opened, and no others"
    )
    func quoted() async throws {
        let directory = try TemporaryDirectory()
        let path = directory.file("c.db")
        var cache = try await openCache(path)
        let (secret, other) = (#"c4nary "of\ the token"#, #"there is no file "/run/token""#)
        let quoted = #""c4nary \"of\\ the token""#
        for message in [other, "there is no file \(quoted)", "\(secret) is too long"] {
            var failed = change(.users, .error)
            failed.transition.failure = Failure(kind: .credentials, message: message, retryable: false)
            failed.resource.state.failure = failed.transition.failure
            failed.resource.before = failed.transition
            _ = try await cache.writer.record(failed)
        }
        await cache.close()
        // A state that can't be read is in no list, and hinders nothing.
        let connection = try Connection(path: path, access: .readWrite)
        try connection.execute(
            "INSERT INTO transitions (number, resource, state) VALUES (9, 'users', '{c4nary')")
        connection.close()
        cache = try await openCache(path, hidden: [secret, quoted])
        for end in ["", "-wal"] {
            let bytes = try #require(FileManager.default.contents(atPath: path + end))
            #expect(bytes.ranges(of: Data("there is no file \\\"c4nary".utf8)).isEmpty, "\(path + end)")
        }
        let removed = "this message was removed, since it may have held a secret"
        let messages = try await cache.reader.history(nil, 10).map(\.failure?.message)
        #expect(messages == [removed, removed, other])
        let saved = try #require(try await cache.reader.resources()[.users])
        #expect(saved.state.failure?.message == removed && saved.before?.failure?.message == removed)
        #expect(saved.state.failure?.kind == .credentials)
        await cache.close()
    }

    @Test("Only the newest transitions are kept, up to the limit")
    func bounded() async throws {
        let cache = try await openCache(maximumHistory: 3)
        for _ in 1...5 { _ = try await cache.writer.record(change(.users, .syncing)) }
        #expect(try await cache.reader.history(nil, 10).map(\.index) == [5, 4, 3])
    }

    @Test("A lowered limit applies from the next transition on")
    func lowered() async throws {
        let directory = try TemporaryDirectory()
        var cache = try await openCache(directory.file("c.db"))
        for _ in 1...20 { _ = try await cache.writer.record(change(.users, .syncing)) }
        await cache.close()
        cache = try await openCache(directory.file("c.db"), maximumHistory: 3)
        _ = try await cache.writer.record(change(.facts, .syncing))
        #expect(try await cache.reader.history(nil, 100).map(\.index) == [21, 20, 19])
        await cache.close()
    }

    @Test("A range of transitions is listed oldest first, for the requested resources only")
    func range() async throws {
        let cache = try await openCache()
        for resource in [Resource.users, .facts, .users, .users] {
            _ = try await cache.writer.record(change(resource, .syncing))
        }
        func indices(_ after: Int, _ through: Int, _ resources: [Resource], limit: Int = 10) async throws
            -> [Int]
        {
            try await cache.reader.transitions(after: after, through: through, of: resources, limit: limit)
                .map(\.index)
        }
        #expect(try await indices(1, 3, [.users, .facts]) == [2, 3])
        #expect(try await indices(0, 4, [.users]) == [1, 3, 4])
        #expect(try await indices(0, 4, [.users], limit: 2) == [1, 3])
        #expect(try await indices(4, 9, [.users]) == [])
    }

    @Test("A new cache has its resources as created; an old one as they were left")
    func restore() async throws {
        let cache = try await openCache()
        let fresh = try await cache.writer.restore([.users: .seconds(60)], start)
        #expect(fresh.epoch == "epoch-1" && fresh.lastIndex == 0)
        #expect(fresh.resources[.users]?.state.phase == .initial)
        #expect(fresh.resources[.users]?.state.cause == .created)
        var syncing = change(.users, .syncing)
        syncing.resource.before = fresh.resources[.users]?.state
        _ = try await cache.writer.record(syncing)
        let left = try await cache.writer.restore([.users: .seconds(90)], start)
        #expect(left.lastIndex == 1)
        #expect(left.resources[.users]?.state.phase == .syncing)
        #expect(left.resources[.users]?.before?.phase == .initial)
        #expect(left.resources[.users]?.interval == .seconds(90))
    }

    @Test("Without a daemon, a sync whose daemon was killed counts as ended")
    func withoutDaemon() async throws {
        let directory = try TemporaryDirectory()
        let cache = try await openCache(directory.file("c.db"))
        try await cache.sync(users: [user("1")])
        var syncing = change(.users, .syncing)
        syncing.resource.before = try await cache.reader.resources()[.users]?.state
        _ = try await cache.writer.record(syncing)
        #expect(try await cache.reader.users(UserQuery()).freshness?.phase == .syncing)
        let offline = try await CacheReader.offline(
            path: directory.file("c.db"), now: { start }, random: { $0.lowerBound })
        #expect(try await offline.users(UserQuery()).freshness?.phase == .loaded)
        #expect(try await offline.resources()[.users]?.state.phase == .loaded)
        await offline.close()
        await cache.close()
    }

    @Test("A fact added during a sync is counted even if the daemon is killed in that sync")
    func factFetchedMeanwhile() async throws {
        let directory = try TemporaryDirectory()
        let cache = try await openCache(directory.file("c.db"))
        try await cache.sync(facts: [fact("a")])
        var syncing = change(.facts, .syncing, count: 1)
        syncing.resource.before = try await cache.reader.resources()[.facts]?.state
        _ = try await cache.writer.record(syncing)
        _ = try await cache.writer.addFact(fact("b"))
        let offline = try await CacheReader.offline(
            path: directory.file("c.db"), now: { start }, random: { $0.lowerBound })
        #expect(try await offline.resources()[.facts]?.state.phase == .loaded)
        #expect(try await offline.resources()[.facts]?.state.count == 2)
        await offline.close()
        await cache.close()
    }
}
