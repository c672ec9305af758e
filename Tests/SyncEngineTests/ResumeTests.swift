import Model
import Stubs
import Sync
import TestSupport
import Testing

@Suite(.timeLimit(.hang), .stubs) struct ResumeTests {
    /// A watcher that resumes after FellBehind at the reported index.
    private struct Resuming {
        var watcher: Watcher
        var resources: Set<Resource>
        var seen: [State] = []
        var falls = 0

        /// Reads until it has this transition.
        mutating func read(upTo index: Int, _ rig: Rig) async throws {
            while (seen.last?.index ?? 0) < index { try await readOne(rig) }
        }

        mutating func readOne(_ rig: Rig) async throws {
            do {
                seen.append(try #require(try await watcher.next()))
            } catch WatchError.fellBehind(let epoch, let index) {
                falls += 1
                let last = seen.last?.index ?? 0
                // Unwanted transitions count as seen.
                #expect(resources == Set(Resource.allCases) ? index == last : index >= last)
                watcher = try await rig.engine.watch(
                    from: .after(index: index, epoch: epoch), resources: resources, progress: false)
            }
        }
    }

    @Test(
        "A slow watcher that resumes after each FellBehind sees each transition once, in order",
        arguments: 1...5)
    func slow(seed: UInt64) async throws {
        var random = SeededRandom(seed: seed)
        let rig = try await Rig {
            $0.paused = true
            $0.resources = [.users, .facts]
            $0.watchQueue = 3
        }
        var readers: [Resuming] = []
        for resources in [[.users, .facts], [.users], [.facts]] as [Set<Resource>] {
            let watcher = try await rig.engine.watch(
                from: .after(index: 0, epoch: nil), resources: resources, progress: false)
            readers.append(Resuming(watcher: watcher, resources: resources))
        }
        for _ in 0..<60 {
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                let resource: Resource = Bool.random(using: &random) ? .users : .facts
                _ = try await rig.engine.sync([resource])
                _ = try await rig.engine.cancel([resource])
            }
            let history = try await rig.history()
            for number in readers.indices {
                let newest = history.last { readers[number].resources.contains($0.resource) }?.index ?? 0
                for _ in 0..<Int.random(in: 0...6, using: &random)
                where (readers[number].seen.last?.index ?? 0) < newest {
                    try await readers[number].readOne(rig)
                }
            }
        }
        let history = try await rig.history()
        for var reader in readers {
            let all = history.filter { reader.resources.contains($0.resource) }
            try await reader.read(upTo: try #require(all.last).index, rig)
            #expect(reader.seen == all)
            #expect(reader.falls > 0)
        }
        await rig.stop()
    }
}
