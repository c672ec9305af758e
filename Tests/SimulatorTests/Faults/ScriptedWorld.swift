import Cache
import Foundation
import Model
import SQLite
import Sync
import Synchronization
import TestSupport

/// A virtual clock, an upstream and an executor of one thread, in which daemons run one after the other.
final class ScriptedWorld {
    let time = SimulatedTime()
    let upstream: EditedUpstream
    let executor: SimulatedExecutor
    private let environment: EngineEnvironment

    /// - Parameter seed: determines the order of jobs.
    init(seed: UInt64, saysChanges: Bool = false) {
        upstream = EditedUpstream(saysChanges: saysChanges)
        let time = time
        let executor = SimulatedExecutor(random: SharedRandom(seed: seed))
        self.executor = executor
        environment = EngineEnvironment(
            now: { time.wallClock }, monotonic: { time.now }, sleep: { try await time.sleep($0) },
            draw: { 0.5 }, executor: executor)
    }

    /// - Parameter vfs: the layer under SQLite; nil for the usual one.
    func start(
        _ path: String, vfs: String? = nil,
        configure: @escaping @Sendable (Connection) throws -> Void = { _ in }
    ) throws -> ScriptedDaemon {
        let (upstream, environment, executor) = (upstream, environment, executor)
        return try perform {
            try await ScriptedDaemon(
                path: path, vfs: vfs, upstream: upstream, environment: environment, executor: executor,
                configure: configure)
        }
    }

    /// Runs the body to its end while the clock stands still.
    @discardableResult
    func perform<Value: Sendable>(_ body: @escaping @Sendable () async throws -> Value) throws
        -> Value
    {
        let box = Box<Value>()
        Task(executorPreference: executor) {
            do { box.set(.success(try await body())) } catch { box.set(.failure(error)) }
        }
        while box.value == nil, executor.step() {}
        guard let result = box.value else { throw Violation("a task never ends") }
        return try result.get()
    }

    /// Runs all ready jobs.
    func settle() throws {
        var steps = 0
        while executor.step() {
            steps += 1
            guard steps < 100_000 else { throw Violation("jobs never end while the clock stands still") }
        }
    }

    /// Moves the clock to the next due sleeper.
    func advance() throws {
        guard let next = time.nextDue else { throw Violation("nothing is due") }
        time.advance(to: next)
    }
}

final class Shared<Value: Sendable>: Sendable {
    private let contents: Mutex<Value>

    init(_ value: Value) { contents = Mutex(value) }

    var value: Value { contents.withLock { $0 } }
    func change(_ body: (inout Value) -> Void) { contents.withLock { body(&$0) } }
}

/// A violated rule of the cache.
struct Violation: Error, CustomStringConvertible {
    var description: String

    init(_ description: String) { self.description = description }
}

/// FAULT_SEED, and FAULT_AT for a single case. See `make faults`.
enum FaultSetting {
    static let seed = UInt64(number("FAULT_SEED") ?? 1)
    static let at = number("FAULT_AT")

    private static func number(_ name: String) -> Int? {
        ProcessInfo.processInfo.environment[name].flatMap(Int.init)
    }
}
