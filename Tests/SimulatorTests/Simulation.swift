import Cache
import Model
import Services
import SyncCore
import SyncEngine
import Synchronization

/// What was found wrong, where, and what went before.
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

/// A daemon's life in a world that is drawn from a seed: the production machine, engine and cache, and a virtual clock.
final class Simulation {
    let seed: UInt64
    private let random: SharedRandom
    private let time = SimulatedTime()
    private let executor: SimulatedExecutor
    private let upstream: SimulatedUpstream
    private let disk: SimulatedDisk
    private let settings: SimulatedSettings
    private let surroundings: Surroundings
    private let observer: Observer
    private let log: TraceLog
    private var daemon: SimulatedDaemon?
    /// Things that have been done to the daemon, each of which may cost a sync.
    private var nudges = 0
    private var restarts = 0
    private(set) var jobs = 0
    private let asking = Questions()

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
        surroundings = Surroundings(
            now: { time.wallClock }, monotonic: { time.now }, sleep: { try await time.sleep($0) },
            draw: { random.fraction() }, executor: executor)
        observer = Observer { log.add(time.now, $0) }
    }

    /// Called with each line of the trace.
    var onTrace: (@Sendable (String) -> Void)? {
        get { log.onLine }
        set { log.onLine = newValue }
    }

    /// A digest of all that happened: the same for the same seed.
    var digest: UInt64 { log.digest }
    var transitions: Int { observer.lastIndex }

    /// Lives that long, then has everything get well and sees that the daemon does, too.
    func run(_ duration: Duration) throws {
        try boot()
        var nextEvent = random.duration(.zero, .seconds(3600))
        while time.now < duration {
            // A kill may come between any two jobs.
            try settle(killAfter: random.chance(0.01) ? random.int(below: 60) : nil)
            let next = min(nextEvent, time.nextDue ?? nextEvent, duration)
            time.advance(to: next)
            if time.now >= nextEvent {
                try happen()
                nextEvent = time.now + random.duration(.milliseconds(1), .seconds(3 * 3600))
            }
        }
        try settle()
        try recover()
        try end()
    }

    // MARK: Jobs

    private func settle(killAfter steps: Int? = nil) throws {
        var left = steps
        let most = jobs + 100_000
        while executor.step() {
            jobs += 1
            guard jobs < most else { throw failure("it goes on for ever while the clock stands still") }
            if left == 0 {
                left = nil
                try restart(killing: true)
            }
            left = left.map { $0 - 1 }
        }
        try check()
    }

    /// Runs this to its end, while the clock stands still.
    private func perform<Value: Sendable>(_ body: @escaping @Sendable () async throws -> Value) throws
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
        guard let result = box.value else { throw failure("something waits for ever") }
        return try result.get()
    }

    // MARK: The daemon's life

    private func boot() throws {
        let (settings, disk, upstream, surroundings) = (settings, disk, upstream, surroundings)
        let (executor, observer) = (executor, observer)
        let number = observer.next()
        let daemon = try perform {
            try await SimulatedDaemon(
                settings, disk: disk, upstream: upstream, surroundings: surroundings, executor: executor,
                committed: { resource, rows in
                    Self.judge(resource, rows, upstream, disk, observer)
                })
        }
        self.daemon = daemon
        Task(executorPreference: executor) { await observer.watch(daemon, number: number) }
    }

    private func restart(killing: Bool) throws {
        guard let old = daemon else { return }
        log.add(time.now, killing ? "kill" : "restart")
        restarts += 1
        daemon = nil
        if killing {
            old.kill()
            _ = observer.next()
        }
        try perform { await old.end() }
        upstream.contents.withLock { $0.underWay = [:] }
        try boot()
    }

    /// Within the commit's transaction.
    private static func judge(
        _ resource: Resource, _ rows: RowChanges, _ upstream: SimulatedUpstream, _ disk: SimulatedDisk,
        _ observer: Observer
    ) {
        let given = upstream.contents.withLock { $0.given[resource] ?? [] }
        guard resource == .users else { return }
        disk.contents.withLock { disk in
            if rows.after != given.count { observer.fail("\(rows.after) users of \(given.count) committed") }
            let removed = disk.users.subtracting(given).count
            if disk.users.count >= 20, removed * 2 > disk.users.count, !disk.acceptsRemovals {
                observer.fail("\(removed) of \(disk.users.count) users removed unasked")
            }
            if rows.removed != removed { observer.fail("\(rows.removed) users removed, and not \(removed)") }
            disk.users = given
        }
    }

    // MARK: What happens

    private func happen() throws {
        let event = Event.allCases[random.int(below: Event.allCases.count)]
        log.add(time.now, "\(event), next question \(asking.next)")
        guard let engine = daemon?.engine else { return }
        switch event {
        case .mood:
            let mood = random.chance(0.4) ? .well : random.pick(SimulatedUpstream.Mood.allCases)
            upstream.contents.withLock { $0.mood = mood }
        case .network:
            let isReachable = upstream.contents.withLock { contents in
                contents.isReachable.toggle()
                return contents.isReachable
            }
            if isReachable { wake(.networkChanged, engine) }
        case .flapping:
            for _ in 0..<20 { wake(.networkChanged, engine) }
        case .edit:
            edit()
        case .sync, .retry, .cancel, .acceptingSync, .impatience:
            ask(event, engine)
        case .pause, .resume:
            nudges += 1
            ask { try await engine.setPaused(event == .pause) }
        case .fact:
            ask { _ = try await engine.fetchFact() }
        case .disk:
            disk.contents.withLock { $0.isFullUntil = time.now + random.duration(.seconds(1), .seconds(600)) }
            nudges += 1
        case .clock:
            time.setWallClock(
                ahead: random.pick([.zero, .seconds(-86_400), .seconds(315_360_000), .seconds(90)]))
            wake(.clockJumped, engine)
        case .sleep:
            // The machine is off meanwhile: nobody is woken before it is over.
            time.advance(to: time.now + random.duration(.seconds(1), .seconds(4 * 3600)))
            wake(.resumed, engine)
        case .restart: try restart(killing: false)
        case .kill: try restart(killing: true)
        }
    }

    private enum Event: CaseIterable {
        case mood, network, flapping, edit, sync, retry, cancel, acceptingSync, impatience, pause, resume,
            fact
        case disk, clock, sleep, restart, kill
    }

    private func wake(_ wakeup: Wakeup, _ engine: SyncEngine) {
        nudges += 1
        engine.wake(wakeup)
    }

    private func edit() {
        let (number, facts, cull) = (random.int(below: 50), random.int(below: 4), random.chance(0.1))
        upstream.contents.withLock { contents in
            if cull {
                contents.people = contents.people.filter { $0.key.isMultiple(of: 3) }
            } else if random.chance(0.3) {
                contents.people[number] = nil
            } else {
                contents.people[number, default: 0] += 1
            }
            contents.facts += facts
        }
    }

    private func ask(_ event: Event, _ engine: SyncEngine) {
        let resources = random.pick([[Resource.users], [.facts], [.users, .facts]])
        let wait = random.chance(0.5)
        nudges += 1
        switch event {
        case .sync: ask { _ = try await engine.sync(resources, wait: wait) }
        case .retry: ask { _ = try await engine.retry(resources, wait: wait) }
        case .cancel: ask { _ = try await engine.cancel(resources) }
        case .acceptingSync:
            disk.contents.withLock { $0.acceptsRemovals = true }
            ask { _ = try await engine.sync(resources, acceptsRemovals: true, wait: wait) }
        default:
            // One that asks and takes it back, over and over.
            for _ in 0..<5 {
                ask { _ = try await engine.sync(resources, wait: true) }
                ask { _ = try await engine.cancel(resources) }
            }
        }
    }

    private func ask(_ body: @escaping @Sendable () async throws -> Void) {
        let (asking, log, time) = (asking, log, time)
        let number = asking.begin()
        Task(executorPreference: executor) {
            // What can't be written, or has no daemon any more, is refused.
            do { try await body() } catch { log.add(time.now, "question \(number): \(error)") }
            asking.end(number)
        }
    }

    // MARK: What must hold

    private func check() throws {
        if let violation = observer.contents.withLock({ $0.violation }) { throw failure(violation) }
        let upstream = upstream.contents.withLock { $0 }
        if upstream.mostUnderWay > 1 {
            throw failure("\(upstream.mostUnderWay) requests of one resource at once")
        }
        guard let engine = daemon?.engine else { return }
        let refused = disk.contents.withLock { $0.refused }.map { time.now - $0 <= .seconds(10) } ?? false
        let mostWait = Duration.seconds(86_400)
        for state in engine.states {
            switch state.phase {
            case .syncing:
                guard upstream.underWay[state.resource] == 1 || refused else {
                    throw failure("\(state.resource) syncs, and nothing is asked of upstream")
                }
            case .initial, .loaded, .empty, .error:
                guard let next = state.nextSyncAt else {
                    guard engine.paused || refused else {
                        throw failure("\(state.resource) has no next step")
                    }
                    continue
                }
                let wait = next - time.wallClock
                guard !engine.paused, wait <= mostWait, wait >= .zero || refused else {
                    throw failure(
                        "\(state.resource) is due in \(wait)\(engine.paused ? " while paused" : "")")
                }
            }
        }
    }

    private func recover() throws {
        log.add(time.now, "all is well again")
        upstream.contents.withLock {
            $0.mood = .well
            $0.isReachable = true
        }
        disk.contents.withLock { $0.isFullUntil = .zero }
        guard let engine = daemon?.engine else { return }
        ask { try await engine.setPaused(false) }
        try settle()
        // The longest that anything may wait: a day that upstream asked for, then a sync of each.
        let enough = time.now + .seconds(86_400 + 3600)
        while let next = time.nextDue, next < enough {
            time.advance(to: next)
            try settle()
        }
        let unanswered = asking.open
        guard unanswered.isEmpty else { throw failure("the questions \(unanswered) are never answered") }
        for state in engine.states {
            let truth = upstream.truth(state.resource)
            let ids = try disk.ids(of: state.resource)
            guard state.count == ids.count else {
                throw failure("\(state.resource): \(state.count) of \(ids.count)")
            }
            switch state.phase {
            case .error where state.failure?.kind == .removalGuard: break
            case .loaded, .empty:
                guard state.resource == .users ? ids == truth : ids.isSuperset(of: truth) else {
                    throw failure("\(state.resource) are not what upstream has")
                }
            default: throw failure("\(state.resource) did not get well: \(state)")
            }
        }
        try checkRequests()
    }

    /// Regular syncs, attempts that back off, and what was asked for: nothing else reaches upstream.
    private func checkRequests() throws {
        let requests = upstream.contents.withLock { $0.requests }
        let lived = time.now.inSeconds
        let causes = Double(nudges + 2 * restarts + 2)
        for resource in Resource.allCases {
            let interval = (settings.intervals[resource]?.inSeconds ?? 0) * 0.9
            let syncs = causes * 12 + lived / interval * 12 + lived / (settings.retryCap.inSeconds / 2)
            let bound = syncs * 30
            guard Double(requests[resource] ?? 0) <= bound else {
                throw failure("\(requests[resource] ?? 0) requests for \(resource), more than \(bound)")
            }
        }
    }

    private func end() throws {
        let seen = observer.contents.withLock { $0.seen }
        if let daemon { try perform { await daemon.end() } }
        daemon = nil
        let kept = try disk.history()
        guard kept.map(\.index) == Array(1...max(seen.count, 1)) || seen.isEmpty else {
            throw failure("the history has gaps, or what nobody was told")
        }
        for (kept, seen) in zip(kept, seen) where kept != seen {
            throw failure("#\(seen.index) is another in the history: \(kept) and not \(seen)")
        }
        // Whoever still waits for a job of the last daemon is let go.
        while executor.step() { jobs += 1 }
    }

    private func failure(_ message: String) -> SimulationFailure {
        SimulationFailure(seed: seed, time: time.now, message: message, trace: log.lines)
    }
}
