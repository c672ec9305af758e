import Synchronization
import TestSupport

/// The only source of randomness in a simulation.
final class SharedRandom: Sendable {
    private let random: Mutex<SeededRandom>

    init(seed: UInt64) { random = Mutex(SeededRandom(seed: seed)) }

    func int(below bound: Int) -> Int { random.withLock { .random(in: 0..<bound, using: &$0) } }

    /// A random number in 0..<1.
    func fraction() -> Double { Double(random.withLock { $0.next() } >> 11) / Double(1 << 53) }

    func chance(_ probability: Double) -> Bool { fraction() < probability }

    /// A random duration between two others; short ones are more likely.
    func duration(_ shortest: Duration, _ longest: Duration) -> Duration {
        shortest + (longest - shortest) * (fraction() * fraction())
    }

    func pick<Value>(_ values: [Value]) -> Value { values[int(below: values.count)] }
}

/// Runs the tasks of one simulation, a job at a time, on the thread that drives it. The next job is chosen at
/// random: each seed gives its own interleaving, and always the same.
final class SimulatedExecutor: TaskExecutor {
    /// Runs SQLite's work.
    let serial = SimulatedQueue()
    private let ready = Mutex<[UnownedJob]>([])
    private let random: SharedRandom

    init(random: SharedRandom) { self.random = random }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        ready.withLock { $0.append(job) }
    }

    /// Runs one job. False if no job is ready.
    func step() -> Bool {
        let count = ready.withLock { $0.count }
        let choices = count + (serial.isEmpty ? 0 : 1)
        guard choices > 0 else { return false }
        let choice = choices == 1 ? 0 : random.int(below: choices)
        guard choice < count else {
            serial.step()
            return true
        }
        let job = ready.withLock { $0.remove(at: choice) }
        job.runSynchronously(on: asUnownedTaskExecutor())
        return true
    }
}

/// An executor that keeps the order of its jobs.
final class SimulatedQueue: TaskExecutor {
    private let jobs = Mutex<[UnownedJob]>([])

    var isEmpty: Bool { jobs.withLock { $0.isEmpty } }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        jobs.withLock { $0.append(job) }
    }

    func step() {
        let job = jobs.withLock { $0.removeFirst() }
        job.runSynchronously(on: asUnownedTaskExecutor())
    }
}
