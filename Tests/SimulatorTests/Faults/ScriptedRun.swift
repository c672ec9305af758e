import Cache
import Model
import SQLite
import Sync
import Synchronization
import TestSupport

/// The life of a cache: start, migration, first sync, changed syncs, restart, trimming, end. One call to the
/// disk fails; the run goes on from there to the same end.
final class ScriptedRun {
    /// Contents that must be in the cache: the edition of published rows, and the answered fact.
    private struct Known {
        var editions: [Resource: Int] = [:]
        var fact: String?
    }

    /// Changes are taken alone after two lists that agree with them.
    private let editions: Int
    let disk: FaultDisk
    private let fault: DiskFault?
    private let configure: @Sendable (Connection) throws -> Void
    private let world: ScriptedWorld
    private let observer: Observer
    private let known: Shared<Known>
    private let directory: TemporaryDirectory
    private var random: SeededRandom
    private var path: String
    /// The faulty disk; nil after the process or machine has ended, when the next start has a sound one.
    private var vfs: String?
    private var daemon: ScriptedDaemon?
    private var failedStarts = 0

    /// - Parameters:
    ///   - at: the number of the failing call, from 1.
    ///   - saysChanges: whether upstream says what changed.
    ///   - configure: further settings of the write connection.
    init(
        _ fault: DiskFault? = nil, at: Int = 0, seed: UInt64 = 1, saysChanges: Bool = false,
        configure: @escaping @Sendable (Connection) throws -> Void = { _ in }
    ) throws {
        self.fault = fault
        self.configure = configure
        // All runs of a seed make the same calls up to the failing one.
        let world = ScriptedWorld(seed: seed, saysChanges: saysChanges)
        editions = saysChanges ? 5 : 2
        self.world = world
        let (time, upstream) = (world.time, world.upstream)
        let known = Shared(Known())
        self.known = known
        disk = FaultDisk(fault, at: at, seed: seed &+ UInt64(at))
        vfs = disk.name
        directory = try TemporaryDirectory()
        path = directory.file("userd.db")
        random = SeededRandom(seed: seed &+ UInt64(at))
        observer = Observer(
            afterError: { try await time.sleep(.seconds(1)) },
            onState: { state in
                guard state.phase == .loaded else { return }
                known.change { $0.editions[state.resource] = upstream.edition }
            })
    }

    func run() throws {
        try boot()
        for edition in 1...editions {
            world.upstream.edition = edition
            let began = world.time.wallClock
            try goOn { $0.allSatisfy { $0.phase == .loaded && $0.syncedAt.map { $0 >= began } == true } }
            if edition == 1 || edition == 4 {
                try end()
                try boot()
            }
            try read()
            world.time.advance(to: world.time.now + .seconds(1))
        }
        try fetchFact()
        try settle()
        try end()
        let last = try findings(path).lastIndex
        guard last == observer.lastIndex else {
            throw Violation("\(observer.lastIndex) of \(last) transitions were published")
        }
        if vfs != nil, fault != nil { try leave(isPowerCut: true) }
    }

    // MARK: Steps

    private func boot() throws {
        while true {
            let number = observer.next()
            do {
                let daemon = try world.start(path, vfs: vfs, configure: configure)
                self.daemon = daemon
                let observer = observer
                Task(executorPreference: world.executor) {
                    await observer.watch(daemon.engine, number: number)
                }
                return
            } catch  where isEnded {
                try leave(isPowerCut: fault == .powerCut)
            } catch {
                // A service manager starts it again.
                failedStarts += 1
                guard disk.hasStruck, failedStarts <= 3 else { throw Violation("start: \(error)") }
                disk.mend()
            }
        }
    }

    private func end() throws {
        try stop()
        guard isEnded else { return }
        try crash()
        try settle()
        try stop()
    }

    private func stop() throws {
        guard let old = daemon else { return }
        daemon = nil
        try world.perform { await old.end() }
    }

    private func goOn(until isDone: ([State]) -> Bool) throws {
        for _ in 0..<300 {
            try settle()
            if let violation = observer.contents.withLock({ $0.violation }) { throw Violation(violation) }
            if let daemon, isDone(daemon.engine.states),
                daemon.engine.states.allSatisfy({ $0.index <= observer.lastIndex })
            {
                return
            }
            if let loss = daemon?.loss {
                // Only the log may be gone: the file itself is sound.
                guard loss == .logRemoved else { throw Violation("\(loss)") }
                try stop()
                try boot()
                continue
            }
            if disk.hasStruck, vfs != nil {
                try read()
                disk.mend()
            }
            try world.advance()
        }
        throw Violation("does not recover: \(daemon?.engine.states.description ?? "")")
    }

    /// Fetches a fact. Once it is answered, it must be in the cache.
    private func fetchFact() throws {
        while let engine = daemon?.engine {
            do {
                let fact = try world.perform { try await engine.fetchFact() }
                known.change { $0.fact = fact.id }
                return
            } catch {
                guard disk.hasStruck else { throw error }
                disk.mend()
                try settle()
            }
        }
    }

    /// Checks that reads still work.
    private func read() throws {
        guard let reader = daemon?.cache.reader, !isEnded else { return }
        let before = disk.calls.count
        do {
            let page = try world.perform { try await reader.users(UserQuery(limit: 100)) }
            let editions = self.editions(of: .users)
            guard editions.contains(where: { EditedUpstream.users($0).count == page.count }) else {
                throw Violation("\(page.count) users were read, but the edition is in \(editions)")
            }
        } catch let error as CacheError {
            // Only a read with the failing call may fail.
            guard disk.hasStruck, disk.calls.count > before else { throw Violation("read: \(error)") }
        }
    }

    // MARK: Crashes

    private var isEnded: Bool { vfs != nil && disk.isFrozen }

    private func settle() throws {
        while true {
            if isEnded { try crash() }
            guard world.executor.step() else { return }
        }
    }

    private func crash() throws {
        _ = observer.next()
        try stop()
        try leave(isPowerCut: fault == .powerCut)
        try boot()
    }

    /// Checks the files that the next start finds, and goes on with them.
    private func leave(isPowerCut: Bool) throws {
        let copy = directory.file("left.db")
        try disk.leave(path, at: copy, isPowerCut: isPowerCut, random: &random)
        path = copy
        vfs = nil
        let found = try findings(copy)
        let editions = editions(of: .users)
        guard editions.contains(where: { found.users == EditedUpstream.users($0) }) else {
            throw Violation("\(found.users.count) users match no edition of \(editions)")
        }
        if let token = found.token, found.users != EditedUpstream.users(token) {
            throw Violation("the token is of edition \(token), the users are not")
        }
        let facts = Set(found.facts)
        guard
            self.editions(of: .facts).contains(where: { facts.isSuperset(of: EditedUpstream.facts($0)) })
        else { throw Violation("facts are lost: there are \(found.facts)") }
        guard known.value.fact.map(facts.contains) != false else { throw Violation("the fact is lost") }
    }

    private func findings(_ path: String) throws -> CacheFindings {
        let found = try CacheFindings(path)
        let told = observer.contents.withLock { $0.seen }
        try found.check(told: told, maximum: ScriptedDaemon.maximumHistory)
        return found
    }

    /// Editions that the rows may have.
    private func editions(of resource: Resource) -> ClosedRange<Int> {
        (known.value.editions[resource] ?? 0)...world.upstream.edition
    }
}
