import Testing

@testable import Sync

@Suite struct RequestBudgetTests {
    /// The waits of requests at these seconds; 0 for those that may begin.
    private func waits(_ burst: Int?, _ times: [Int]) -> [Int] {
        var budget = RequestBudget(burst: burst)
        return times.map { Int(budget.take(at: .seconds($0)) / .seconds(1)) }
    }

    @Test(
        "A burst begins at once, then one sync every ten seconds; rest fills the burst again",
        arguments: [
            (3, [0, 0, 0, 0], [0, 0, 0, 10]), (3, [0, 0, 0, 4, 9, 10, 10], [0, 0, 0, 6, 1, 0, 10]),
            (1, [100, 105, 110, 110], [0, 5, 0, 10]), (2, [0, 0, 30, 30, 30], [0, 0, 0, 0, 10]),
            (3, [0, 0, 0, 5_000_000, 5_000_000, 5_000_000, 5_000_000], [0, 0, 0, 0, 0, 0, 10]),
            (2, [-50, -50, -50], [0, 0, 10]), (nil, [0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0]),
        ] as [(Int?, [Int], [Int])])
    func table(burst: Int?, times: [Int], waits: [Int]) {
        #expect(self.waits(burst, times) == waits)
    }

    @Test("In any ten minutes, no more syncs begin than the burst and one every ten seconds")
    func bound() {
        var budget = RequestBudget(burst: 10)
        let begun = (0..<600_000).count { budget.take(at: .milliseconds($0)) == .zero }
        #expect(begun == 10 + 59)
    }

    @Test("A refused request takes nothing, so that waiting as long as it says is enough")
    func refused() {
        var budget = RequestBudget(burst: 1)
        _ = budget.take(at: .zero)
        for _ in 0..<100 { #expect(budget.take(at: .seconds(1)) == .seconds(9)) }
        #expect(budget.take(at: .seconds(10)) == .zero)
    }

    @Test("A changed burst applies to the next request")
    func changed() {
        var budget = RequestBudget(burst: 1)
        _ = budget.take(at: .zero)
        budget.burst = 2
        #expect(budget.take(at: .zero) == .zero)
        #expect(budget.take(at: .zero) == .seconds(10))
        budget.burst = nil
        #expect(budget.take(at: .zero) == .zero)
    }
}
