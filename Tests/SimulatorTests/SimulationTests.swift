import Foundation
import Synchronization
import TestSupport
import Testing

@Suite struct SimulationTests {
    private static let day = Duration.seconds(86_400)

    private static func setting(_ name: String) -> UInt64? {
        ProcessInfo.processInfo.environment[name].flatMap(UInt64.init)
    }

    /// SIMULATOR_SEED replays one seed and prints its trace. SIMULATOR_SECONDS runs new random seeds for this
    /// long.
    @Test(
        "In a day of random events, a daemon reports only what is true, loses nothing, and recovers"
    )
    func days() async throws {
        if let seed = Self.setting("SIMULATOR_SEED") {
            let simulation = try Simulation(seed: seed)
            simulation.onTrace = { print($0) }
            try simulation.run(Self.day)
            return
        }
        if let seconds = Self.setting("SIMULATOR_SECONDS") {
            let end = ContinuousClock.now + .seconds(Int64(seconds))
            try await simulate(from: .random(in: 1 << 32...1 << 62)) { _ in ContinuousClock.now < end }
        } else {
            try await simulate(from: 1) { $0 <= UInt64(Volume.simulatedDays) }
        }
    }

    @Test("A seed always gives the same day, and other seeds give others")
    func replay() throws {
        let days = try ([7, 7, 8] as [UInt64]).map { seed in
            let simulation = try Simulation(seed: seed)
            try simulation.run(Self.day)
            return (simulation.digest, simulation.transitions, simulation.jobs)
        }
        #expect(days[0] == days[1])
        #expect(days[0] != days[2])
    }

    /// Simulates days one after the other on two threads.
    private func simulate(from first: UInt64, while goesOn: @escaping @Sendable (UInt64) -> Bool) async throws
    {
        let seeds = Seeds(first)
        try await withThrowingTaskGroup { group in
            for _ in 0..<2 {
                group.addTask {
                    while let seed = seeds.next(while: goesOn), !Task.isCancelled {
                        let transitions = try await onThread {
                            let simulation = try Simulation(seed: seed)
                            try simulation.run(Self.day)
                            return simulation.transitions
                        }
                        seeds.lived(transitions: transitions)
                    }
                }
            }
            try await group.waitForAll()
        }
        print(seeds.summary)
    }
}

private final class Seeds: Sendable {
    private let contents: Mutex<(next: UInt64, days: Int, transitions: Int)>

    init(_ first: UInt64) { contents = Mutex((first, 0, 0)) }

    func next(while goesOn: (UInt64) -> Bool) -> UInt64? {
        contents.withLock { contents in
            guard goesOn(contents.next) else { return nil }
            contents.next += 1
            return contents.next - 1
        }
    }

    func lived(transitions: Int) {
        contents.withLock {
            $0.days += 1
            $0.transitions += transitions
        }
    }

    var summary: String { contents.withLock { "\($0.days) simulated days, \($0.transitions) transitions" } }
}
