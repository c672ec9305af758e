import Cache
import Model
import Services
import Stubs
import SyncCore
import SyncEngine
import TestSupport
import Testing

/// What a daemon makes of the waits that the one before it has left.
@Suite(.timeLimit(.minutes(1)), .stubs) struct RestartTests {
    /// The cache of a daemon whose only sync has ended so.
    private func leftBy(
        _ error: UpstreamError?, interval: Duration = .seconds(60), in directory: TemporaryDirectory
    ) async throws -> String {
        let path = directory.file("c/userd.db")
        let rig = try await Rig {
            $0.path = path
            $0.interval = interval
        }
        if let error { rig.users.failure(error) } else { rig.users.success(people(0..<3)) }
        _ = try await rig.ended()
        await rig.stop()
        await rig.cache.close()
        return path
    }

    private func restart(_ path: String) async throws -> Rig {
        try await Rig {
            $0.path = path
            $0.now = began + .seconds(10)
        }
    }

    @Test("A regular sync that was planned by a longer interval comes after the interval of now")
    func shorterInterval() async throws {
        let directory = try TemporaryDirectory()
        let rig = try await restart(try await leftBy(nil, interval: .seconds(86_400), in: directory))
        #expect(try await rig.clock.sleeps.receive() == .seconds(66))
        await rig.stop()
    }

    @Test("What a person has to mend is tried as soon as userd starts again")
    func mended() async throws {
        let directory = try TemporaryDirectory()
        let rig = try await restart(
            try await leftBy(upstreamError(.redirect, retryable: false), in: directory))
        rig.users.success(people(0..<3))
        #expect(try await rig.next().cause == .due)
        #expect(try await rig.ended().phase == .loaded)
        await rig.stop()
    }

    @Test(
        "The patience that upstream asked for outlasts a restart, whatever wakes userd",
        arguments: Wakeup.allCases)
    func patience(wakeup: Wakeup) async throws {
        let directory = try TemporaryDirectory()
        let path = try await leftBy(
            upstreamError(.rateLimited, retryAfter: .seconds(4000)), in: directory)
        let rig = try await restart(path)
        #expect(try await rig.clock.sleeps.receive() == .seconds(3990))
        rig.engine.wake(wakeup)
        #expect(try await rig.clock.sleeps.receive() == .seconds(3990))
        await rig.stop()
    }

    @Test("Settings that are read again, and a pause that ends, do not cut that patience short")
    func settings() async throws {
        let rig = try await Rig()
        rig.users.failure(upstreamError(.rateLimited, retryAfter: .seconds(4000)))
        _ = try await rig.ended()
        #expect(try await rig.clock.sleeps.receive() == .seconds(4000))
        rig.clock.advance(by: .seconds(1000))
        await rig.adopt(interval: .seconds(60))
        #expect(try await rig.clock.sleeps.receive() == .seconds(3000))
        try await rig.engine.setPaused(true)
        try await rig.engine.setPaused(false)
        #expect(try await rig.clock.sleeps.receive() == .seconds(3000))
        #expect(try await rig.state().phase == .error)
        await rig.stop()
    }
}
