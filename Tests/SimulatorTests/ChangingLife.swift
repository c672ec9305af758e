import Cache
import Logging
import Model
import SQLite
import Sync
import Synchronization
import Upstream

/// A daemon's life with a directory that says what changed. It is ended now and then.
final class ChangingLife {
    private let seed: UInt64
    private let isLiar: Bool
    private let simulation: Simulation
    private let upstream: ChangingUpstream
    private var daemon: ChangingDaemon?
    private var listedAt = Duration.zero
    private var syncs = 0
    /// Number of syncs that took changes alone.
    private var taken = 0

    init(seed: UInt64) throws {
        self.seed = seed
        isLiar = seed.isMultiple(of: 3)
        simulation = try Simulation(seed: seed)
        upstream = ChangingUpstream(
            seed.isMultiple(of: 2) ? .log : .stamps, isLiar: isLiar, random: simulation.random)
    }

    /// - Returns: number of syncs that took changes alone.
    func live() throws -> Int {
        try start()
        if isLiar { try lie() } else { try earn() }
        try end()
        return taken
    }

    /// An honest directory is never off.
    private func earn() throws {
        let random = simulation.random
        for _ in 1...24 {
            try pass { $0.happen() }
            if random.chance(0.1) { try restart() }
            try sync(isFull: random.chance(0.2), readsIDs: random.chance(0.3))
            guard level != .off else { throw violation("an honest directory's changes are off") }
        }
        for _ in 1...3 {
            try pass { $0.rest() }
            try sync(isFull: true)
        }
        guard level == .trusted else { throw violation("an honest directory's changes are not trusted") }
    }

    /// A liar is found out, and each sync reads the list from then on.
    private func lie() throws {
        let random = simulation.random
        while level != .off {
            guard syncs < 80 else { throw violation("a liar's changes are not off") }
            try pass { $0.happen() }
            if random.chance(0.1) { try restart() }
            try sync(isFull: random.chance(0.3), readsIDs: random.chance(0.3))
        }
        for _ in 1...3 {
            try pass { $0.happen() }
            try sync(isFull: false)
            guard level == .off, listedAt == simulation.time.now else {
                throw violation("a liar's list is not read")
            }
        }
    }

    private var level: ChangeTrust.Level? { daemon?.engine.changeTrust?.level }

    /// Some hours go by.
    private func pass(_ change: (inout ChangingUpstream.Contents) -> Void) throws {
        upstream.contents.withLock { change(&$0) }
        let time = simulation.time
        time.advance(to: time.now + simulation.random.duration(.seconds(3600), .seconds(8 * 3600)))
        try simulation.settle()
    }

    /// Syncs, and compares the rows with what the directory has, or what it told.
    /// - Parameter readsIDs: whether all ids are read, of a directory that has stamps.
    private func sync(isFull: Bool, readsIDs: Bool = true) throws {
        guard let engine = daemon?.engine else { throw violation("there is no daemon") }
        upstream.contents.withLock { $0.readsIDs = readsIDs }
        let states = try simulation.perform {
            try await engine.sync([.users], isFull: isFull, isNew: true, wait: true)
        }
        try simulation.settle()
        syncs += 1
        guard let state = states.first, state.failure == nil, let scope = state.scope else {
            throw violation("a sync failed: \(states)")
        }
        simulation.log.add(
            simulation.time.now, "sync \(syncs): \(scope), \(state.cause), \(level?.rawValue ?? "unknown")")
        switch scope {
        case .full: listedAt = simulation.time.now
        case .changes: taken += 1
        }
        let users = upstream.contents.withLock { $0.committed(scope) }
        let expected = Set(users.map { "\($0.id) \($0.name.last) \($0.department ?? "-")" })
        let cached = try rows()
        guard cached == expected, state.count == cached.count else {
            let differing = cached.symmetricDifference(expected).sorted()
            throw violation("\(differing) are cached or expected, not both; the state counts \(state.count)")
        }
    }

    private func rows() throws -> Set<String> {
        let connection = try Connection(path: simulation.disk.path, access: .readOnly)
        defer { connection.close() }
        let values = """
            id || ' ' || json_extract(record, '$.name.last') || ' '
            || ifnull(json_extract(record, '$.department'), '-')
            """
        return Set(
            try connection.rows("SELECT \(values) FROM users JOIN user_records USING (number)") {
                try $0.text(0)
            })
    }

    private func start() throws {
        let (path, users, facts) = (simulation.disk.path, upstream.users, simulation.upstream.facts)
        let (environment, executor) = (simulation.environment, simulation.executor)
        daemon = try simulation.perform {
            try await ChangingDaemon(path, users, facts, environment, executor)
        }
        try simulation.settle()
    }

    private func restart() throws {
        simulation.log.add(simulation.time.now, "restart")
        try end()
        try start()
    }

    private func end() throws {
        guard let old = daemon else { return }
        daemon = nil
        try simulation.perform { await old.end() }
        try simulation.settle()
    }

    private func violation(_ message: String) -> Violation {
        let trace = simulation.log.lines.suffix(30).joined(separator: "\n")
        return Violation("seed \(seed), \(isLiar ? "a liar" : "honest"): \(message)\n\(trace)")
    }
}

/// The production engine over the cache. It syncs only if it is asked.
private final class ChangingDaemon: Sendable {
    let engine: SyncEngine
    private let cache: Cache
    private let run: Task<Void, Never>

    init(
        _ path: String, _ users: UsersService, _ facts: FactsService, _ environment: EngineEnvironment,
        _ executor: SimulatedExecutor
    ) async throws {
        let cache = try await Cache.live(
            path: path, newEpoch: "epoch", now: environment.now, random: { $0.lowerBound }
        ) {
            $0.readers = 1
            $0.executor = executor.serial
            $0.readExecutor = executor.serial
            $0.configure = { try $0.execute("PRAGMA synchronous = OFF") }
        }
        let logger = Logger(label: "changes") { _ in SwiftLogNoOpLogHandler() }
        var plan = SyncPlan.users(
            users, into: cache.writer, schedule: Schedule(interval: .seconds(3600)),
            removals: RemovalGuard(limit: 1), logger: logger)
        plan.isScheduled = false
        let engine = try await SyncEngine(
            plans: [plan], facts: facts, cache: cache, environment: environment, logger: logger)
        (self.cache, self.engine) = (cache, engine)
        run = Task(executorPreference: executor) { await engine.run() }
    }

    func end() async {
        run.cancel()
        await run.value
        await cache.close()
    }
}
