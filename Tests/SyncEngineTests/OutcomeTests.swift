import Cache
import Logging
import Model
import Stubs
import Sync
import Synchronization
import TestSupport
import Testing
import Upstream

@Suite(.timeLimit(.hang), .stubs) struct OutcomeTests {
    @Test("A sync of many pages makes two transitions, and all its rows appear at once")
    func pages() async throws {
        let rig = try await Rig { $0.paused = true }
        _ = try await rig.engine.sync([.users])
        for page in 0..<4 {
            try await rig.users.called()
            #expect(try await rig.userIDs().isEmpty)
            rig.users.success(people(page * 2..<page * 2 + 2, next: page + 2, total: 10))
        }
        let state = try await rig.end(.users) { rig.users.success(people(8..<10, total: 10)) }
        #expect(state.phase == .loaded && state.count == 10 && state.index == 2)
        #expect(try await rig.history().map(\.phase) == [.syncing, .loaded])
        #expect(try await rig.userIDs().count == 10)
        await rig.stop()
    }

    @Test("A state has the progress of its sync only while it runs")
    func progress() async throws {
        let rig = try await Rig { $0.paused = true }
        let watcher = try await rig.engine.watch(from: .now, resources: [.users], progress: true)
        _ = try await rig.engine.sync([.users])
        rig.users.success(people(0..<2, next: 2, total: 3))
        for _ in 0..<3 { _ = try await watcher.next() }
        #expect(try await rig.state().progress == Progress(done: 2, total: 3))
        let ended = try await rig.end(.users) { rig.users.success(people(2..<3, total: 3)) }
        #expect(ended.phase == .loaded && ended.progress == nil)
        await rig.stop()
    }

    @Test("An upstream without records leaves the phase empty")
    func empty() async throws {
        let rig = try await Rig { $0.paused = true }
        rig.users.success(people(0..<0))
        let state = try #require(try await rig.engine.sync([.users], wait: true).first)
        #expect(state.phase == .empty && state.count == 0 && state.syncedAt == began && !state.stale)
        await rig.stop()
    }

    @Test("A record that comes twice in a sync is kept once")
    func duplicates() async throws {
        let rig = try await Rig { $0.paused = true }
        rig.users.success(people(0..<3, next: 2))
        rig.users.success(people(2..<4))
        #expect(try await rig.engine.sync([.users], wait: true).map(\.count) == [4])
        await rig.stop()
    }

    @Test("Repeated users are logged as a notice, repeated facts at debug level")
    func duplicatesLogged() async throws {
        let levels = Mutex<[Logger.Level]>([])
        let rig = try await Rig {
            $0.paused = true
            $0.resources = [.users, .facts]
            $0.logged = { event in
                guard "\(event.message)".hasPrefix("Upstream sent records more than once") else { return }
                levels.withLock { $0.append(event.level) }
            }
        }
        rig.users.success(people(0..<3, next: 2))
        rig.users.success(people(2..<4))
        _ = try await rig.engine.sync([.users], wait: true)
        rig.facts.success(cats("Cats purr.", "Cats purr."))
        _ = try await rig.engine.sync([.facts], wait: true)
        #expect(levels.withLock { $0 } == [.notice, .debug])
        await rig.stop()
    }

    @Test("A page that fails discards those before it")
    func failsHalfway() async throws {
        let rig = try await Rig { $0.paused = true }
        rig.users.success(people(0..<3))
        _ = try await rig.engine.sync([.users], wait: true)
        rig.users.success(people(10..<13, next: 2))
        rig.users.failure(upstreamError(.decode, retryable: false))
        let state = try #require(try await rig.engine.sync([.users], wait: true).first)
        #expect(state.phase == .error && state.count == 3 && state.syncedAt == began)
        #expect(try await rig.userIDs() == ["u0", "u1", "u2"])
        await rig.stop()
    }

    @Test("Rows become stale after two intervals")
    func stale() async throws {
        let rig = try await Rig { $0.paused = true }
        #expect(try await rig.state().stale)
        rig.users.success(people(0..<3))
        _ = try await rig.engine.sync([.users], wait: true)
        rig.clock.advance(by: .seconds(120))
        #expect(try await !rig.state().stale)
        rig.clock.advance(by: .milliseconds(1))
        #expect(try await rig.state().stale)
        await rig.stop()
    }

    // MARK: The removal guard

    @Test("A sync that would remove too many rows fails and changes nothing")
    func removalGuard() async throws {
        let rig = try await Rig { $0.paused = true }
        rig.users.success(people(0..<20))
        _ = try await rig.engine.sync([.users], wait: true)
        rig.users.success(people(0..<9))
        let state = try #require(try await rig.engine.sync([.users], wait: true).first)
        #expect(state.phase == .error && state.failure?.kind == .removalGuard && state.count == 20)
        #expect(state.failure?.retryable == false)
        rig.users.success(people(0..<0))
        let empty = try #require(try await rig.engine.sync([.users], wait: true).first)
        #expect(empty.failure?.kind == .removalGuard)
        #expect(try await rig.userIDs().count == 20)
        await rig.stop()
    }

    @Test("Accepted removals apply to one sync only")
    func acceptedRemovals() async throws {
        let rig = try await Rig { $0.paused = true }
        rig.users.success(people(0..<50))
        _ = try await rig.engine.sync([.users], wait: true)
        rig.users.success(people(0..<20))
        let accepted = try await rig.engine.sync([.users], acceptsRemovals: true, wait: true)
        #expect(accepted.map(\.phase) == [.loaded] && accepted.map(\.count) == [20])
        rig.users.success(people(0..<1))
        let next = try await rig.engine.sync([.users], wait: true)
        #expect(next.map(\.failure?.kind) == [.removalGuard] && next.map(\.count) == [20])
        await rig.stop()
    }

    // MARK: Restarts

    @Test("After a restart during a sync, that sync is recorded as interrupted, and another is due at once")
    func interrupted() async throws {
        let directory = try TemporaryDirectory()
        let path = directory.file("c/userd.db")
        let first = try await Rig { $0.path = path }
        first.users.success(people(0..<3))
        _ = try await first.ended()
        _ = try await first.engine.sync([.users])
        await first.stop()
        await first.cache.close()

        let second = try await Rig {
            $0.path = path
            $0.now = began + .seconds(5)
        }
        let state = try await second.next()
        #expect(state.phase == .loaded && state.cause == .interrupted && state.index == 4, "\(state)")
        #expect(state.failure?.kind == .interrupted && state.nextSyncAt == began + .seconds(5))
        #expect(state.count == 3 && state.syncedAt == began && state.epoch == "epoch-1")
        let syncing = try await second.next()
        #expect(syncing.phase == .syncing && syncing.cause == .due)
        #expect(
            try await second.history().map(\.cause)
                == [.due, .committed(Changes(added: 3)), .requested, .interrupted, .due])
        await second.stop()
    }

    @Test("A sync requested before the interrupted one is recorded is a new sync")
    func askedBeforeRestart() async throws {
        let directory = try TemporaryDirectory()
        let path = directory.file("c/userd.db")
        let first = try await Rig { $0.path = path }
        try await first.users.called()
        await first.stop()
        await first.cache.close()

        let second = try await Rig {
            $0.path = path
            $0.paused = true
        }
        second.users.success(people(0..<3))
        #expect(try await second.engine.sync([.users], wait: true).map(\.phase) == [.loaded])
        await second.stop()
    }
}
