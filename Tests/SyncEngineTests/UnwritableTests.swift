import Cache
import Model
import Stubs
import Sync
import Synchronization
import TestSupport
import Testing

/// A cache that can't be written.
@Suite(.timeLimit(.hang), .stubs) struct UnwritableTests {
    @Test("A start with a cache that can't be written shows the failure, keeps the plan, and recovers")
    func start() async throws {
        let directory = try TemporaryDirectory()
        let path = try await syncedOnce(in: directory)
        let isFull = Flag(true)
        let rig = try await Rig {
            $0.path = path
            $0.now = began + .seconds(5)
            $0.before = full(while: isFull, .requireWritable)
        }
        #expect(try await rig.clock.sleeps.receive() == .seconds(10))
        try await rig.reaches { $0.phase == .error }
        #expect(try await rig.state().failure?.kind == .storage)
        #expect(try await rig.userIDs().count == 3)
        isFull.set(false)
        rig.clock.advance(by: .seconds(10))
        try await rig.reaches { $0.phase == .loaded }
        #expect(try await rig.state().nextSyncAt == began + .seconds(60))
        #expect(try await rig.history().count == 2)
        await rig.stop()
    }

    @Test("A pause ends the repeating of a transition that can't be written")
    func pause() async throws {
        let isFull = Flag(true)
        let rig = try await Rig { $0.before = full(while: isFull, .record) }
        try await rig.reaches { $0.phase == .error }
        try await rig.engine.setPaused(true)
        let state = try await rig.state()
        #expect(state.phase == .initial && state.nextSyncAt == nil && state.failure == nil)
        await rig.stop()
    }

    @Test("A commit is published before the cache is tidied")
    func toldFirst() async throws {
        let done = Channel<Void>()
        let rig = try await Rig { $0.before = { if $0 == .tidy { try await done.receive() } } }
        rig.users.success(people(0..<3))
        #expect(try await rig.ended().phase == .loaded)
        done.send(())
        await rig.stop()
    }

    @Test("A sync that fails, is refused or is cancelled leaves no staging area")
    func staging() async throws {
        let dropped = Mutex<[Int]>([])
        let rig = try await Rig {
            $0.before = { call in
                if case .dropStaging(let sync) = call { dropped.withLock { $0.append(sync) } }
            }
        }
        #expect(try await rig.end(.users) { rig.users.failure(upstreamError()) }.phase == .error)
        #expect(dropped.withLock { $0 } == [1])
        _ = try await rig.engine.sync([.users])
        #expect(try await rig.end(.users) { rig.users.success(people(0..<30)) }.phase == .loaded)
        #expect(dropped.withLock { $0 } == [1])
        _ = try await rig.engine.sync([.users])
        #expect(
            try await rig.end(.users) { rig.users.success(people(0..<1)) }.failure?.kind == .removalGuard)
        #expect(dropped.withLock { $0 } == [1, 3])
        _ = try await rig.engine.sync([.users])
        _ = try await rig.engine.cancel([.users])
        #expect(dropped.withLock { $0 } == [1, 3, 4])
        await #expect(throws: CacheError.self) {
            try await rig.cache.writer.stageUsers(Page(records: []), 1, 4)
        }
        await rig.stop()
    }

    @Test("A new interval makes lists and states stale at the same time")
    func stale() async throws {
        let rig = try await Rig()
        rig.users.success(people(0..<3))
        _ = try await rig.ended()
        rig.clock.advance(by: .seconds(30))
        await rig.adopt(interval: .seconds(10))
        #expect(try await rig.state().stale)
        #expect(try await rig.cache.reader.users(UserQuery()).freshness?.stale == true)
        await rig.adopt(interval: .seconds(60))
        #expect(try await rig.state().stale == false)
        #expect(try await rig.cache.reader.users(UserQuery()).freshness?.stale == false)
        await rig.stop()
    }

    @Test("If each sync ends userd, the waits grow until a sync ends in another way")
    func crashLoop() async throws {
        let directory = try TemporaryDirectory()
        let path = directory.file("c/userd.db")
        for wait in [nil, Duration.zero, .milliseconds(750), .milliseconds(1500), .seconds(3)] {
            let rig = try await Rig { $0.path = path }
            if let wait {
                let interrupted = try await rig.next()
                #expect(interrupted.cause == .interrupted)
                #expect(interrupted.nextSyncAt == began + wait)
                if wait > .zero {
                    #expect(try await rig.clock.sleeps.receive() == wait)
                    rig.clock.advance(by: wait)
                }
            }
            try await rig.users.called()
            await rig.stop()
            await rig.cache.close()
        }
        let rig = try await Rig { $0.path = path }
        #expect(try await rig.next().nextSyncAt == began + .seconds(6))
        _ = try await rig.engine.sync([.users])
        _ = try await rig.engine.cancel([.users])
        _ = try await rig.engine.sync([.users])
        await rig.stop()
        await rig.cache.close()
        let last = try await Rig { $0.path = path }
        #expect(try await last.next().nextSyncAt == began)
        await last.stop()
    }
}
