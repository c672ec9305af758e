import Cache
import Model
import Stubs
import Sync
import TestSupport
import Testing

@Suite(.timeLimit(.hang), .stubs) struct PauseTests {
    @Test("A pause removes the next planned sync, and its end restores it")
    func setPaused() async throws {
        let rig = try await Rig()
        rig.users.success(people(0..<1))
        #expect(try await rig.ended().nextSyncAt == began + .seconds(60))
        try await rig.engine.setPaused(true)
        #expect(rig.engine.paused)
        #expect(try await rig.state().nextSyncAt == nil)
        rig.clock.advance(by: .seconds(20))
        try await rig.engine.setPaused(false)
        #expect(!rig.engine.paused)
        #expect(try await rig.state().nextSyncAt == began + .seconds(60))
        await rig.stop()
    }

    @Test("A sync that became due during a pause is due at its end")
    func overdue() async throws {
        let rig = try await Rig()
        rig.users.success(people(0..<1))
        _ = try await rig.ended()
        try await rig.engine.setPaused(true)
        rig.clock.advance(by: .seconds(1000))
        #expect(try await rig.state().phase == .loaded)
        try await rig.engine.setPaused(false)
        #expect(try await rig.next().cause == .due)
        await rig.stop()
    }

    @Test("A sync that runs when a pause begins goes on, and no next sync is planned")
    func running() async throws {
        let rig = try await Rig()
        try await rig.users.called()
        try await rig.engine.setPaused(true)
        rig.users.success(people(0..<1))
        let loaded = try await rig.ended()
        #expect(loaded.phase == .loaded && loaded.nextSyncAt == nil)
        await rig.stop()
    }

    @Test("The last pause or resume outlives restarts until the setting changes", arguments: [true, false])
    func kept(paused: Bool) async throws {
        let directory = try TemporaryDirectory()
        let path = try await syncedOnce(in: directory)
        func start(setting: Bool) async throws -> Rig {
            try await Rig {
                $0.path = path
                $0.paused = setting
            }
        }
        func end(_ rig: Rig) async {
            await rig.stop()
            await rig.cache.close()
        }
        let first = try await start(setting: !paused)
        try await first.engine.setPaused(paused)
        await end(first)
        let second = try await start(setting: !paused)
        #expect(second.engine.paused == paused)
        await end(second)
        let third = try await start(setting: paused)
        #expect(third.engine.paused == paused, "the setting has changed since")
        await end(third)
        let fourth = try await start(setting: !paused)
        #expect(fourth.engine.paused == !paused, "the setting is newer than the request")
        await end(fourth)
    }

    @Test("A changed setting overrides the last pause or resume, and stays in force")
    func settings() async throws {
        let directory = try TemporaryDirectory()
        let path = try await syncedOnce(in: directory)
        let first = try await Rig { $0.path = path }
        try await first.engine.setPaused(true)
        await first.adopt(interval: .seconds(60), paused: false)
        #expect(first.engine.paused, "the setting is unchanged")
        await first.adopt(interval: .seconds(60), paused: true)
        await first.adopt(interval: .seconds(60), paused: false)
        #expect(!first.engine.paused)
        await first.stop()
        await first.cache.close()
        let second = try await Rig { $0.path = path }
        #expect(!second.engine.paused)
        await second.stop()
        await second.cache.close()
    }

    @Test("A pause that can't be written does not begin")
    func unwritten() async throws {
        let rig = try await Rig { $0.before = full(.savePause) }
        await #expect(throws: CacheError.storage("disk full")) { try await rig.engine.setPaused(true) }
        #expect(!rig.engine.paused)
        await rig.stop()
    }
}
