import Cache
import Model
import Sync
import Synchronization

/// A violation, with its seed, time and preceding trace.
struct SimulationFailure: Error, CustomStringConvertible {
    var seed: UInt64
    var time: Duration
    var message: String
    var trace: [String]

    var description: String {
        """
        seed \(seed), after \(time): \(message)
        \(trace.suffix(40).joined(separator: "\n"))
        Replay it with: make soak SEED=\(seed)
        """
    }
}

/// A daemon's life in a random world: the production machine, engine and cache with a virtual clock.
final class Simulation {
    let seed: UInt64
    let random: SharedRandom
    let time = SimulatedTime()
    let executor: SimulatedExecutor
    let upstream: SimulatedUpstream
    let disk: SimulatedDisk
    let settings: SimulatedSettings
    let environment: EngineEnvironment
    let observer: Observer
    let log: TraceLog
    var daemon: SimulatedDaemon?
    /// Number of events that may each cause a sync.
    var nudges = 0
    var restarts = 0
    private(set) var jobs = 0
    let asking = Questions()

    init(seed: UInt64) throws {
        self.seed = seed
        let random = SharedRandom(seed: seed)
        let (time, log) = (time, TraceLog())
        self.random = random
        self.log = log
        executor = SimulatedExecutor(random: random)
        upstream = SimulatedUpstream(time: time, random: random)
        disk = try SimulatedDisk(time: time)
        settings = SimulatedSettings(random: random)
        environment = EngineEnvironment(
            now: { time.wallClock }, monotonic: { time.now }, sleep: { try await time.sleep($0) },
            draw: { random.fraction() }, executor: executor)
        let disk = disk
        observer = Observer { state in
            log.add(
                time.now,
                "#\(state.index) \(state.resource) \(state.phase) \(state.cause.rawValue) \(state.count)")
            if state.resource == .users, state.phase != .syncing {
                disk.contents.withLock { $0.acceptsRemovals = false }
            }
        }
    }

    /// Called with each line of the trace.
    var onTrace: (@Sendable (String) -> Void)? {
        get { log.onLine }
        set { log.onLine = newValue }
    }

    /// A digest of all events, equal for equal seeds.
    var digest: UInt64 { log.digest }
    var transitions: Int { observer.lastIndex }

    /// Lives for this long, then ends all troubles and checks that the daemon recovers.
    func run(_ duration: Duration) throws {
        try boot()
        var nextEvent = random.duration(.zero, .seconds(3600))
        while time.now < duration {
            // A kill may come between any two jobs.
            try settle(killAfter: random.chance(0.01) ? random.int(below: 60) : nil)
            let next = min(nextEvent, time.nextDue ?? nextEvent, duration)
            time.advance(to: next)
            if time.now >= nextEvent {
                nextEvent = time.now + (try happen())
            }
        }
        try settle()
        try recover()
        try end()
    }

    // MARK: Jobs

    func settle(killAfter steps: Int? = nil) throws {
        var left = steps
        let most = jobs + 100_000
        while executor.step() {
            jobs += 1
            guard jobs < most else { throw failure("jobs never end while the clock stands still") }
            if left == 0 {
                left = nil
                try restart(killing: true)
            }
            left = left.map { $0 - 1 }
        }
        try check()
    }

    /// Runs the body to its end while the clock stands still.
    func perform<Value: Sendable>(_ body: @escaping @Sendable () async throws -> Value) throws
        -> Value
    {
        let box = Box<Value>()
        Task(executorPreference: executor) {
            do {
                let value = try await body()
                box.set(.success(value))
            } catch {
                box.set(.failure(error))
            }
        }
        while box.value == nil, executor.step() { jobs += 1 }
        guard let result = box.value else { throw failure("a task never ends") }
        return try result.get()
    }

    // MARK: The daemon's life

    func boot() throws {
        let (settings, disk, upstream, environment) = (settings, disk, upstream, environment)
        let (executor, observer) = (executor, observer)
        let number = observer.next()
        upstream.next()
        let daemon = try perform {
            try await SimulatedDaemon(
                settings, disk: disk, upstream: upstream, environment: environment, executor: executor,
                committed: { resource, rows in
                    Self.judge(resource, rows, upstream, disk, observer)
                })
        }
        self.daemon = daemon
        Task(executorPreference: executor) { await observer.watch(daemon.engine, number: number) }
    }

    func restart(killing: Bool) throws {
        guard let old = daemon else { return }
        log.add(time.now, killing ? "kill" : "restart")
        restarts += 1
        daemon = nil
        if killing {
            old.kill()
            _ = observer.next()
        }
        try perform { await old.end() }
        try boot()
    }

    /// Checks a commit.
    static func judge(
        _ resource: Resource, _ rows: RowChanges, _ upstream: SimulatedUpstream, _ disk: SimulatedDisk,
        _ observer: Observer
    ) {
        let given = upstream.contents.withLock { $0.given[resource] ?? [] }
        guard resource == .users, upstream.contents.withLock({ $0.moving }) == nil else { return }
        disk.contents.withLock { disk in
            if rows.after != given.count { observer.fail("\(rows.after) users of \(given.count) committed") }
            let removed = disk.users.subtracting(given).count
            if disk.users.count >= 20, removed * 2 > disk.users.count, !disk.acceptsRemovals {
                observer.fail("\(removed) of \(disk.users.count) users removed without consent")
            }
            if rows.removed != removed { observer.fail("\(rows.removed) users removed, not \(removed)") }
            disk.users = given
        }
    }

    func end() throws {
        let seen = observer.contents.withLock { $0.seen }
        if let daemon { try perform { await daemon.end() } }
        daemon = nil
        let kept = try disk.history()
        guard kept.map(\.index) == Array(1...max(seen.count, 1)) || seen.isEmpty else {
            throw failure("the history has gaps or unpublished transitions")
        }
        for (kept, seen) in zip(kept, seen) where kept != seen {
            throw failure("#\(seen.index) differs in the history: \(kept) instead of \(seen)")
        }
        // Ends all tasks that still wait for the last daemon.
        while executor.step() { jobs += 1 }
    }

    func failure(_ message: String) -> SimulationFailure {
        SimulationFailure(seed: seed, time: time.now, message: message, trace: log.lines)
    }
}
