import Cache
import Model
import Services
import Stubs
import SyncEngine
import Synchronization
import TestSupport
import Testing

@Suite("Syncs that are had one at a time", .timeLimit(.minutes(1)), .stubs)
struct OneAtATimeTests {
    private func rig(_ change: @Sendable (inout Rig.Options) -> Void = { _ in }) async throws -> Rig {
        try await Rig {
            $0.resources = [.users, .facts]
            $0.oneAtATime = true
            change(&$0)
        }
    }

    /// `users syncing`, one for each transition.
    private func history(_ rig: Rig) async throws -> [String] {
        try await rig.history().map { "\($0.resource) \($0.phase)" }
    }

    @Test("Of two that are due at the same time one begins when the other has ended")
    func due() async throws {
        let rig = try await rig()
        rig.users.success(people(0..<1))
        rig.facts.success(cats("Cats sleep."))
        for _ in 0..<4 { _ = try await rig.next() }
        let expected = ["users syncing", "users loaded", "facts syncing", "facts loaded"]
        #expect(try await history(rig) == expected)
        await rig.stop()
    }

    @Test("Those that are due at the same time come in the order in which they were planned, each time")
    func ties() async throws {
        let rig = try await rig()
        for round in 0..<30 {
            rig.users.success(people(0..<1))
            rig.facts.success(cats("Cats sleep."))
            for _ in 0..<4 { _ = try await rig.next() }
            #expect(
                try await history(rig).suffix(4) == [
                    "users syncing", "users loaded", "facts syncing", "facts loaded",
                ], "round \(round)")
            // Those that were set before others began are set anew then.
            while try await rig.clock.sleeps.receive() != .seconds(60) {}
            try await wait { rig.clock.sleeperCount >= 2 }
            rig.clock.advance(by: .seconds(60))
        }
        await rig.stop()
    }

    @Test("One that is asked for while another works is syncing at once, and works after it")
    func asked() async throws {
        let callsAtCommit = Mutex<[Int]>([])
        let rigs = Channel<Rig>()
        let rig = try await rig { options in
            options.writer = { writer in
                let commit = writer.commit
                writer.commit = { resource, generation, body in
                    if resource == .users {
                        let rig = try await rigs.receive()
                        callsAtCommit.withLock { $0.append(rig.facts.callCount) }
                    }
                    return try await commit(resource, generation, body)
                }
            }
        }
        try await rig.users.called()
        let state = try await rig.engine.sync([.facts])
        #expect(state.map(\.phase) == [.syncing])
        rig.facts.success(cats("Cats sleep."))
        #expect(try await rig.engine.sync([.facts]).map(\.phase) == [.syncing])
        rig.users.success(people(0..<1))
        rigs.send(rig)
        for _ in 0..<4 { _ = try await rig.next() }
        let expected = ["users syncing", "facts syncing", "users loaded", "facts loaded"]
        #expect(try await history(rig) == expected)
        #expect(callsAtCommit.withLock { $0 } == [0])
        await rig.stop()
    }

    @Test("One that is cancelled while it waits asks nothing, and the other goes on")
    func cancelled() async throws {
        let rig = try await rig { $0.paused = true }
        _ = try await rig.engine.sync([.users])
        try await rig.users.called()
        _ = try await rig.engine.sync([.facts])
        #expect(try await rig.engine.cancel([.facts]).map(\.phase) == [.initial])
        rig.users.success(people(0..<1))
        for _ in 0..<4 { _ = try await rig.next() }
        let expected = ["users syncing", "facts syncing", "facts initial", "users loaded"]
        #expect(try await history(rig) == expected)
        #expect(rig.facts.callCount == 0)
        // The place in the line is free again.
        rig.facts.success(cats("Cats sleep."))
        #expect(try await rig.engine.sync([.facts], wait: true).map(\.phase) == [.loaded])
        await rig.stop()
    }

    @Test("One that waits for another that is cancelled works as soon as that has ended")
    func otherCancelled() async throws {
        let rig = try await rig { $0.paused = true }
        _ = try await rig.engine.sync([.users])
        try await rig.users.called()
        _ = try await rig.engine.sync([.facts])
        _ = try await rig.engine.cancel([.users])
        try await rig.facts.called()
        rig.facts.success(cats("Cats sleep."))
        for _ in 0..<4 { _ = try await rig.next() }
        let expected = ["users syncing", "facts syncing", "users initial", "facts loaded"]
        #expect(try await history(rig) == expected)
        await rig.stop()
    }

    @Test("The wait for another attempt stands still while another works, however long that takes")
    func standingStill() async throws {
        let rig = try await rig()
        rig.users.failure(upstreamError())
        try await rig.facts.called()
        rig.clock.advance(by: .seconds(100))
        rig.facts.success(cats("Cats sleep."))
        for _ in 0..<4 { _ = try await rig.next() }
        let expected = ["users syncing", "users error", "facts syncing", "facts loaded"]
        #expect(try await history(rig) == expected)
        // Facts are due in a minute from now, and not from when it began.
        while try await rig.clock.sleeps.receive() != .seconds(60) {}
        try await wait { rig.clock.sleeperCount >= 2 }
        rig.clock.advance(by: .milliseconds(749))
        #expect(try await rig.state().phase == .error)
        rig.clock.advance(by: .milliseconds(1))
        #expect(try await rig.next().phase == .syncing)
        await rig.stop()
    }

    @Test("userd can end while one waits for another")
    func ending() async throws {
        let rig = try await rig()
        try await rig.users.called()
        _ = try await rig.engine.sync([.facts])
        await rig.stop()
        #expect(rig.facts.callCount == 0)
    }
}
