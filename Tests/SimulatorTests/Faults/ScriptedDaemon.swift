import Cache
import Logging
import Model
import SQLite
import Sync

/// A run of the production engine over the real cache, composed as in userd.
final class ScriptedDaemon: Sendable {
    static let interval = Duration.seconds(900)
    static let maximumHistory = 6
    static let maximumFacts = 10

    let engine: SyncEngine
    let cache: Cache
    /// Why its cache is no longer usable.
    var loss: CacheLoss? { lost.value }
    private let lost: Shared<CacheLoss?>
    private let run: Task<Void, Never>

    /// - Parameter vfs: the layer under SQLite; nil for the usual one.
    init(
        path: String, vfs: String?, upstream: EditedUpstream, environment: EngineEnvironment,
        executor: SimulatedExecutor, configure: @escaping @Sendable (Connection) throws -> Void
    ) async throws {
        let lost = Shared<CacheLoss?>(nil)
        let cache = try await Cache.live(
            path: path, newEpoch: "epoch", now: environment.now, random: { $0.lowerBound }
        ) {
            $0.maximumFacts = Self.maximumFacts
            $0.maximumHistory = Self.maximumHistory
            $0.readers = 1
            $0.readLimit = .seconds(60)
            $0.vfs = vfs
            $0.executor = executor.serial
            $0.readExecutor = executor.serial
            $0.configure = configure
            $0.lost = { loss in lost.change { $0 = $0 ?? loss } }
        }
        self.lost = lost
        self.cache = cache
        let schedule = Schedule(interval: Self.interval)
        engine = try await SyncEngine(
            plans: [
                .users(
                    upstream.users, into: cache.writer, schedule: schedule,
                    removals: RemovalGuard(limit: 0.5)),
                .facts(
                    upstream.facts, into: cache.writer, schedule: schedule, maximum: 100,
                    now: environment.now),
            ],
            facts: upstream.facts, cache: cache, environment: environment,
            logger: Logger(label: "faults") { _ in SwiftLogNoOpLogHandler() })
        run = Task(executorPreference: executor) { [engine] in await engine.run() }
    }

    func end() async {
        run.cancel()
        await run.value
        await cache.close()
    }
}
