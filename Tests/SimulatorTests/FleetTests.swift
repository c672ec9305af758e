import Sync
import Testing

@Suite struct FleetTests {
    /// One hour as usual, one without upstream, and two of recovery.
    private static let outage = 3600..<7200
    private static let after = 7200..<14_400

    @Test("After an hour without upstream, 100,000 daemons send less than twice the usual requests")
    func comingBack() {
        var users = Fleet(
            count: 100_000, schedule: Schedule(interval: .seconds(900)), seconds: Self.after.upperBound,
            seed: 1)
        users.run(outage: Self.outage)
        let steady = users.rate(900..<Self.outage.lowerBound)
        let peak = users.peak(Self.after)
        #expect(abs(steady - 111) < 2)
        #expect(Double(peak) < 2 * steady)

        // Single seconds differ by chance, so the sum of both is compared in spans of ten.
        var facts = Fleet(
            count: 100_000, schedule: Schedule(interval: .seconds(6 * 3600)),
            seconds: Self.after.upperBound, seed: 2)
        facts.run(outage: Self.outage)
        let steadyFacts = facts.rate(900..<Self.outage.lowerBound)
        let spans = stride(from: Self.after.lowerBound, to: Self.after.upperBound, by: 10).map {
            users.rate($0..<$0 + 10) + facts.rate($0..<$0 + 10)
        }
        #expect((spans.max() ?? .infinity) < 2 * (steady + steadyFacts))

        print("requests a second of 100,000 daemons: steady \(steady) and \(steadyFacts),")
        print("at most afterwards \(peak) and \(facts.peak(Self.after)); minute by minute:")
        for minute in stride(from: -10, to: 120, by: 10) {
            let span = (minute + 60) * 60..<(minute + 70) * 60
            print(minute, Int(users.rate(span).rounded()), Int(facts.rate(span).rounded()))
        }
    }

    @Test("Daemons that started together drift apart: after a day their requests are even")
    func drifting() {
        var fleet = Fleet(
            count: 2000, schedule: Schedule(interval: .seconds(900)), seconds: 86_400, seed: 3, together: true
        )
        fleet.run(outage: 0..<0)
        let lastHour = 82_800..<86_400
        // In tenths of an interval, chance alone keeps them within a third of each other.
        let parts = stride(from: lastHour.lowerBound, to: lastHour.upperBound, by: 90).map {
            fleet.rate($0..<$0 + 90)
        }
        let steady = 2000.0 / 900
        #expect(fleet.peak(0..<1) == 2000)
        #expect(parts.allSatisfy { $0 > steady * 0.6 && $0 < steady * 1.4 }, "\(parts)")
    }
}
