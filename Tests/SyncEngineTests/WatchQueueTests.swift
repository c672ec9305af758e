import Model
import Stubs
import Sync
import TestSupport
import Testing

@Suite(.timeLimit(.hang), .stubs) struct WatchQueueTests {
    @Test("A shorter watch queue applies at once, a longer one from then on")
    func otherQueue() async throws {
        let rig = try await Rig {
            $0.paused = true
            $0.watchQueue = 8
        }
        /// Starts and cancels this number of syncs, with two transitions each.
        func toggle(_ count: Int) async throws {
            for _ in 0..<count {
                _ = try await rig.engine.sync([.users])
                _ = try await rig.engine.cancel([.users])
            }
        }
        func watch() async throws -> Watcher {
            let watcher = try await rig.engine.watch(from: .now, resources: [.users], progress: false)
            _ = try await watcher.next()
            return watcher
        }
        let slow = try await watch()
        try await toggle(4)
        await rig.adopt(interval: .seconds(60), paused: true, watchQueue: 2)
        await #expect(throws: WatchError.fellBehind(epoch: "epoch-1", index: 0)) { try await slow.next() }
        await rig.adopt(interval: .seconds(60), paused: true, watchQueue: 20)
        let patient = try await watch()
        try await toggle(10)
        for index in 9...28 { #expect(try await patient.next()?.index == index) }
        await rig.stop()
    }
}
