import Foundation
import TestSupport
import Testing

@Suite("Directories that say what changed") struct ChangingUpstreamTests {
    /// CHANGING_SEED replays one seed.
    @Test("Rows are the list, or what was told since; the honest are trusted, and liars are found out")
    func seeds() async throws {
        if let seed = ProcessInfo.processInfo.environment["CHANGING_SEED"].flatMap(UInt64.init) {
            _ = try ChangingLife(seed: seed).live()
            return
        }
        let last: UInt64 = Volume.isLong ? 2000 : 30
        let taken = try await withThrowingTaskGroup(of: Int.self) { group in
            for first in UInt64(1)...2 {
                group.addTask {
                    var taken = 0
                    for seed in stride(from: first, through: last, by: 2) {
                        taken += try await onThread { try ChangingLife(seed: seed).live() }
                    }
                    return taken
                }
            }
            return try await group.reduce(0, +)
        }
        print("\(last) directories that say what changed: \(taken) syncs took changes alone")
        #expect(taken > Int(last) * 3)
    }
}
