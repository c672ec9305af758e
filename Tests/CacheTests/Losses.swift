import Cache
import Synchronization
import TestSupport

/// What a cache says that it lost.
final class Losses: Sendable {
    private let all = Mutex<[CacheLoss]>([])
    var list: [CacheLoss] { all.withLock { $0 } }
    var hasDamage: Bool {
        list.contains { if case .damaged = $0 { true } else { false } }
    }
    func add(_ loss: CacheLoss) { all.withLock { $0.append(loss) } }
}

/// Opens a cache with one reader, which tells what it loses.
func openWatched(_ path: String, _ losses: Losses = Losses()) async throws -> Cache {
    try await Cache.live(
        path: path, newEpoch: "epoch-1", now: { start }, random: { $0.lowerBound }
    ) {
        $0.readers = 1
        $0.lost = losses.add
    }
}
