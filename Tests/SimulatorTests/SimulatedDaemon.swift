import Cache
import Logging
import Model
import SQLite
import Sync
import Synchronization
import Upstream

/// The settings of a simulated daemon.
struct SimulatedSettings: Sendable {
    let intervals: [Resource: Duration]
    let retryCap: Duration

    init(random: SharedRandom) {
        intervals = [
            .users: random.pick([.seconds(1800), .seconds(2 * 3600), .seconds(5 * 3600)]),
            .facts: random.pick([.seconds(3 * 3600), .seconds(6 * 3600)]),
        ]
        retryCap = random.pick([.seconds(900), .seconds(2 * 3600)])
    }

    func schedule(_ resource: Resource) -> Schedule {
        Schedule(interval: intervals[resource] ?? .seconds(3600), retryCap: retryCap)
    }
}

/// One run of the production engine over the cache, from its start to its end.
final class SimulatedDaemon: Sendable {
    let engine: SyncEngine
    private let cache: Cache
    private let plans: [SyncPlan]
    private let facts: FactsService
    private let dead: DeadFlag
    private let run: Task<Void, Never>

    init(
        _ settings: SimulatedSettings, disk: SimulatedDisk, upstream: SimulatedUpstream,
        environment: EngineEnvironment, executor: SimulatedExecutor,
        committed: @escaping @Sendable (Resource, RowChanges) -> Void
    ) async throws {
        let dead = DeadFlag()
        let cache = try await Cache.live(
            path: disk.path, newEpoch: "epoch", now: environment.now, random: { $0.lowerBound }
        ) {
            $0.readers = 1
            $0.executor = executor.serial
            $0.readExecutor = executor.serial
            $0.configure = { try $0.execute("PRAGMA synchronous = OFF") }
            $0.before = disk.seam(isDead: { dead.isOn }, committed: committed)
        }
        let plans: [SyncPlan] = [
            .users(
                upstream.users, into: cache.writer, schedule: settings.schedule(.users),
                removals: RemovalGuard(limit: 0.5)),
            .facts(
                upstream.facts, into: cache.writer, schedule: settings.schedule(.facts), maximum: 1000,
                now: environment.now),
        ]
        let engine = try await SyncEngine(
            plans: plans, facts: upstream.facts, cache: cache, environment: environment,
            logger: Logger(label: "simulation") { _ in SwiftLogNoOpLogHandler() })
        self.cache = cache
        self.plans = plans
        facts = upstream.facts
        self.dead = dead
        self.engine = engine
        run = Task(executorPreference: executor) { await engine.run() }
    }

    /// Makes it read its settings again.
    func reload() async { await engine.adopt(plans, facts: facts, paused: false) }

    /// From now on, nothing that it does has an effect.
    func kill() { dead.set() }

    /// Releases everything that it holds.
    func end() async {
        run.cancel()
        await run.value
        await cache.close()
    }
}

private final class DeadFlag: Sendable {
    private let flag = Atomic(false)

    var isOn: Bool { flag.load(ordering: .sequentiallyConsistent) }
    func set() { flag.store(true, ordering: .sequentiallyConsistent) }
}
