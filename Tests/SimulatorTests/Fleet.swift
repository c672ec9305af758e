import Model
import Sync
import TestSupport

/// Many daemons with one upstream, each with the production machine and schedule.
struct Fleet {
    private let schedule: Schedule
    private var machines: [Machine]
    private var random: SeededRandom
    /// Members that are due in each second.
    private var due: [[Int32]]
    /// Requests to upstream in each second, including failed ones.
    private(set) var requests: [Int]

    /// All have synced before. They are due at random moments of the first interval, or together in its first
    /// second.
    init(count: Int, schedule: Schedule, seconds: Int, seed: UInt64, together: Bool = false) {
        self.schedule = schedule
        machines = Array(repeating: Machine(.loaded), count: count)
        random = SeededRandom(seed: seed)
        due = Array(repeating: [], count: seconds)
        requests = Array(repeating: 0, count: seconds)
        let interval = Int(schedule.interval.inSeconds)
        for member in 0..<count {
            plan(member, at: together ? 0 : Int.random(in: 0..<interval, using: &random))
        }
    }

    /// - Parameter outage: the seconds in which every request fails.
    mutating func run(outage: Range<Int>) {
        for second in due.indices {
            for member in due[second] { sync(Int(member), second, fails: outage.contains(second)) }
            due[second] = []
        }
    }

    /// Maximum number of requests per second in this time.
    func peak(_ seconds: Range<Int>) -> Int { requests[seconds].max() ?? 0 }

    /// Average number of requests per second in this time.
    func rate(_ seconds: Range<Int>) -> Double {
        Double(requests[seconds].reduce(0, +)) / Double(seconds.count)
    }

    private mutating func sync(_ member: Int, _ second: Int, fails: Bool) {
        var actions = machines[member].handle(.wanted(.due))
        for case .startSync(let generation) in actions {
            requests[second] += 1
            let failure = Failure(kind: .offline, message: "connection refused", retryable: true)
            actions = machines[member].handle(
                fails
                    ? .failed(generation: generation, failure)
                    : .committed(generation: generation, rows: 20))
        }
        for case .schedule(let next) in actions {
            let draw = Double.random(in: 0..<1, using: &random)
            guard let delay = schedule.delay(until: next, draw: draw) else { continue }
            plan(member, at: second + max(1, Int(delay.inSeconds.rounded())))
        }
    }

    private mutating func plan(_ member: Int, at second: Int) {
        if due.indices.contains(second) { due[second].append(Int32(member)) }
    }
}
