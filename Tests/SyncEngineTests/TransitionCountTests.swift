import Model
import Stubs
import Sync
import TestSupport
import Testing

@Suite(.timeLimit(.hang), .stubs) struct TransitionCountTests {
    @Test(
        "A sync of any number of pages is two transitions, with reports of progress between them",
        arguments: [1, 5, 100])
    func pages(_ pages: Int) async throws {
        let rig = try await Rig { $0.paused = true }
        let watcher = try await rig.engine.watch(from: .now, resources: [.users], progress: true)
        _ = try await watcher.next()
        // The second sync brings nothing new.
        for sync in 0..<2 {
            for page in 1...pages {
                rig.users.success(
                    people(page..<page + 1, next: page < pages ? page + 1 : nil, total: pages))
            }
            let state = try #require(try await rig.engine.sync([.users], wait: true).first)
            #expect(state.phase == .loaded && state.count == pages && state.index == 2 * sync + 2)
            var watched: [State] = []
            repeat {
                watched.append(try #require(try await watcher.next()))
            } while watched.last?.phase == .syncing
            // The clock stands still, so all pages after the first come too soon to be reported.
            #expect(watched.map(\.index) == [2 * sync + 1, 2 * sync + 1, 2 * sync + 2])
            #expect(watched.map(\.progress?.done) == [nil, 1, nil])
            rig.clock.advance(by: .seconds(1))
        }
        #expect(try await rig.history().map(\.phase) == [.syncing, .loaded, .syncing, .loaded])
        await rig.stop()
    }
}
