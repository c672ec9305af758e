import Cache
import Logging
import Model
import Stubs
import Sync
import Synchronization
import TestSupport
import Testing

@testable import Daemon
@testable import Upstream

let began = Timestamp(milliseconds: 1_770_000_000_000)

/// An engine over the real cache, with stubs for upstreams and a clock of its own.
final class Rig: Sendable {
    struct Options: Sendable {
        var path = ":memory:"
        var resources: [Resource] = [.users]
        var interval = Duration.seconds(60)
        var trustedInterval: Duration?
        var now = began
        var paused = false
        var removalGuard = 0.5
        var draw = 0.5
        var maximumHistory = 10_000
        var watchQueue = 1024
        var requestedSyncs: Int?
        /// Called before the cache's calls.
        var before: CacheSeam = { _ in }
        /// Replaces the users' service.
        var users: UsersService?
        var logged: @Sendable (LogEvent) -> Void = { _ in }
    }

    let users = UsersStub(waits: true)
    let facts = FactsStub(waits: true)
    let oneFact = OneFactStub(waits: true)
    let cache: Cache
    let engine: SyncEngine
    let clock: VirtualClock
    let environment: EngineEnvironment
    private let options: Options
    private let watcher: Watcher
    private let running: Mutex<Task<Void, Never>?>

    /// Starts the engine.
    init(_ options: Options = Options()) async throws {
        self.options = options
        let clock = VirtualClock(now: .milliseconds(options.now.milliseconds))
        self.clock = clock
        environment = EngineEnvironment(
            now: { Timestamp(milliseconds: clock.now.milliseconds) }, monotonic: { clock.now },
            sleep: { try await clock.sleep($0) }, draw: { options.draw })
        cache = try await Cache.live(
            path: options.path, newEpoch: "epoch-1", now: environment.now, random: { $0.lowerBound }
        ) {
            $0.maximumHistory = options.maximumHistory
            $0.readers = 2
            $0.before = options.before
        }
        let plans = Self.plans(options, options.interval, users, facts, cache, environment)
        let engine = try await SyncEngine(
            plans: plans, facts: FactsService(facts, one: oneFact), cache: cache, environment: environment,
            paused: options.paused, watchQueue: options.watchQueue, requestedSyncs: options.requestedSyncs,
            logger: Logger(label: "test") { _ in TestLogHandler(options.logged) })
        self.engine = engine
        watcher = try await engine.watch(
            from: .now, resources: Set(options.resources), progress: false)
        running = Mutex(Task { await engine.run() })
        for _ in options.resources { _ = try await watcher.next() }
    }

    convenience init(_ change: (inout Options) -> Void) async throws {
        var options = Options()
        change(&options)
        try await self.init(options)
    }

    /// Ends the engine and waits for its end. Running syncs are left as if it had been killed.
    func stop() async {
        let task = running.withLock { $0 }
        task?.cancel()
        await task?.value
    }

    /// - Parameter resources: resources that are on from now; nil if unchanged.
    func adopt(
        interval: Duration, paused: Bool = false, watchQueue: Int? = nil, resources: [Resource]? = nil,
        requestedSyncs: Int? = nil
    ) async {
        var options = options
        options.resources = resources ?? options.resources
        await engine.adopt(
            Self.plans(options, interval, users, facts, cache, environment),
            facts: FactsService(facts, one: oneFact), paused: paused, watchQueue: watchQueue,
            requestedSyncs: requestedSyncs)
    }

    /// Ends the running sync by this answer. Waits first until the call has joined that sync: a later call
    /// would start another.
    func end(_ resource: Resource, _ answer: () -> Void) async throws -> State {
        async let ended = engine.sync([resource], wait: true)
        try await wait { await engine.waitingCount > 0 }
        answer()
        return try #require(try await ended.first)
    }

    /// Waits for the next transition.
    func next() async throws -> State {
        guard let state = try await watcher.next() else { throw CancellationError() }
        return state
    }

    /// Waits for the next transition that ends a sync.
    func ended() async throws -> State {
        while true {
            let state = try await next()
            if state.phase != .syncing { return state }
        }
    }

    func state(_ resource: Resource = .users) async throws -> State {
        guard let state = engine.states.first(where: { $0.resource == resource }) else {
            throw CancellationError()
        }
        return state
    }

    /// Waits until the state satisfies the condition.
    func reaches(_ resource: Resource = .users, _ isSo: (State) -> Bool) async throws {
        var changes = engine.changes.makeAsyncIterator()
        while try await !isSo(state(resource)) { _ = await changes.next() }
    }

    /// All written transitions, oldest first.
    func history() async throws -> [State] {
        try await cache.reader.history(nil, 10_000).reversed()
    }

    func userIDs() async throws -> [String] {
        let page = try await cache.reader.users(UserQuery())
        let text = String(decoding: page.records, as: UTF8.self)
        return text.split(separator: "\"id\":\"").dropFirst().map { String($0.prefix { $0 != "\"" }) }
            .sorted()
    }

    private static func plans(
        _ options: Options, _ interval: Duration, _ users: UsersStub, _ facts: FactsStub,
        _ cache: Cache, _ environment: EngineEnvironment
    ) -> [SyncPlan] {
        let schedule = Schedule(interval: interval, trustedInterval: options.trustedInterval)
        return options.resources.map { resource in
            switch resource {
            case .users:
                .users(
                    options.users ?? UsersService(users),
                    into: cache.writer, schedule: schedule,
                    removals: RemovalGuard(limit: options.removalGuard))
            case .facts:
                .facts(
                    FactsService(facts, one: OneFactStub()), into: cache.writer, schedule: schedule,
                    maximum: 100,
                    now: environment.now)
            }
        }
    }
}

func people(_ range: Range<Int>, last: String = "Lovelace", next: Int? = nil, total: Int? = nil)
    -> Page<User>
{
    Page(
        records: range.map { User(id: "u\($0)", name: User.Name(first: "Ada", last: last)) },
        next: next.map { PageRequest(number: $0) }, total: total)
}

func cats(_ texts: String...) -> Page<NewFact> { Page(records: texts.map(newFact)) }

func newFact(_ text: String) -> NewFact { NewFact(id: "id of \(text)", text: text, length: text.count) }

func upstreamError(
    _ kind: Failure.Kind = .offline, retryable: Bool = true, retryAfter: Duration? = nil
) -> UpstreamError {
    UpstreamError(
        Failure(kind: kind, message: "the stub fails", retryable: retryable), retryAfter: retryAfter)
}

/// A flag that a test sets and a stub reads.
final class Flag: Sendable {
    private let value: Atomic<Bool>

    init(_ value: Bool = false) { self.value = Atomic(value) }

    var isOn: Bool { value.load(ordering: .sequentiallyConsistent) }
    func set(_ isOn: Bool) { value.store(isOn, ordering: .sequentiallyConsistent) }
}

/// Makes these calls of the cache fail, as a full disk does, while the flag is on.
func full(while isFull: Flag = Flag(true), _ calls: CacheCall...) -> CacheSeam {
    { if isFull.isOn, calls.contains($0) { throw CacheError.storage("disk full") } }
}

/// A cache file into which an earlier daemon has synced three users.
func syncedOnce(in directory: TemporaryDirectory) async throws -> String {
    let path = directory.file("c/userd.db")
    let rig = try await Rig { $0.path = path }
    rig.users.success(people(0..<3))
    _ = try await rig.ended()
    await rig.stop()
    await rig.cache.close()
    return path
}
