import Synchronization
import TestSupport
import Testing

@Suite("Lists that move while they are read") struct MovingListTests {
    /// Lives through days of 20 seeds on two threads.
    private func live(_ churn: MovingList.Churn, days: Int) async throws -> Removals {
        let sum = Sum()
        try await withThrowingTaskGroup { group in
            for first in UInt64(1)...2 {
                group.addTask {
                    for seed in stride(from: first, through: 20, by: 2) {
                        sum.add(
                            try await onThread {
                                let simulation = try Simulation(seed: seed)
                                return try simulation.live(
                                    with: MovingList(churn: churn, random: simulation.random),
                                    for: .seconds(86_400) * days / 20)
                            })
                    }
                }
            }
            try await group.waitForAll()
        }
        return sum.value
    }

    @Test("Nobody who is upstream all the time is removed, and whoever left is gone after two quiet lists")
    func usual() async throws {
        let removals = try await live(.usual, days: Volume.movingDays)
        #expect(removals.falsely == 0)
        #expect(removals.removed > Volume.movingDays)
        print("\(Volume.movingDays) days of moving lists: \(removals.removed) people removed")
    }

    @Test("At ten times the churn, few removals are false")
    func wild() async throws {
        let removals = try await live(.wild, days: Volume.movingDays / 5)
        let share = Double(removals.falsely) / Double(max(removals.removed, 1))
        print(
            "At ten times the churn, \(removals.falsely) of \(removals.removed) removals were false (\(share))"
        )
        #expect(share < 0.02)
    }
}

private final class Sum: Sendable {
    private let sum = Mutex(Removals())

    var value: Removals { sum.withLock { $0 } }

    func add(_ found: Removals) {
        sum.withLock {
            $0.removed += found.removed
            $0.falsely += found.falsely
        }
    }
}
