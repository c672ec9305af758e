import Testing

@testable import Sync

@Suite struct ClockReadingTests {
    private static let before = ClockReading(
        monotonic: .seconds(1000), boot: .seconds(5000), real: .seconds(1_770_000_000))

    @Test(
        "The three clocks distinguish a suspend from a clock that was set",
        arguments: [
            (0, 0, 0, []), (30_000, 30_000, 30_000, []),
            (30_000, 30_000, 30_400, []), (30_000, 30_000, 29_600, []),
            (0, 1000, 1000, []), (0, 1001, 1001, [.resumed]), (10, 8 * 3_600_000, 8 * 3_600_000, [.resumed]),
            (0, 0, 1000, []), (0, 0, 1001, [.clockJumped]), (0, 0, -1000, []), (0, 0, -1001, [.clockJumped]),
            (30_000, 30_000, 3_630_000, [.clockJumped]), (30_000, 30_000, -1_770_000_000_000, [.clockJumped]),
            (5, 3_600_005, 7_200_005, [.resumed, .clockJumped]), (5, 3_600_005, 5, [.resumed, .clockJumped]),
        ] as [(monotonic: Int, boot: Int, real: Int, Set<Wakeup>)])
    func table(monotonic: Int, boot: Int, real: Int, expected: Set<Wakeup>) {
        var after = Self.before
        after.monotonic += .milliseconds(monotonic)
        after.boot += .milliseconds(boot)
        after.real += .milliseconds(real)
        #expect(after.wakeups(since: Self.before) == expected)
    }

    @Test("The clocks of this machine run, and report no event if there was none")
    func real() {
        let before = ClockReading.now()
        let after = ClockReading.now()
        #expect(before.monotonic <= after.monotonic && before.boot <= after.boot)
        #expect(before.monotonic <= before.boot + .milliseconds(1))
        #expect(before.real > .seconds(1_700_000_000))
        #expect(after.wakeups(since: before).isEmpty)
    }
}

@Suite struct BurstTests {
    @Test("Events within a second are reported at its end, each kind once")
    func burst() {
        var burst = Burst()
        #expect(burst.remaining(at: .seconds(9)) == nil)
        burst.add([], at: .seconds(9))
        #expect(burst.remaining(at: .seconds(9)) == nil)
        burst.add([.networkChanged], at: .seconds(10))
        burst.add([.clockJumped, .networkChanged], at: .milliseconds(10_400))
        #expect(burst.remaining(at: .milliseconds(10_400)) == .milliseconds(600))
        #expect(burst.take(at: .milliseconds(10_999)) == [])
        burst.add([.resumed], at: .milliseconds(10_999))
        #expect(burst.take(at: .seconds(11)) == [.networkChanged, .resumed, .clockJumped])
        #expect(burst.take(at: .seconds(12)) == [])
        #expect(burst.remaining(at: .seconds(12)) == nil)
    }

    @Test("There is at most one event of a kind per second")
    func rate() {
        var burst = Burst()
        var told: [Duration] = []
        for tick in 0..<6000 {
            let now = Duration.milliseconds(tick * 10)
            burst.add([.networkChanged], at: now)
            told += burst.take(at: now).map { _ in now }
        }
        #expect(told.count > 50)
        #expect(zip(told, told.dropFirst()).allSatisfy { $1 - $0 >= Burst.length })
    }

    @Test("An overdue report has no time left, and never a negative one")
    func overdue() {
        var burst = Burst()
        burst.add([.resumed], at: .zero)
        #expect(burst.remaining(at: .seconds(100)) == .zero)
        #expect(burst.take(at: .seconds(100)) == [.resumed])
    }
}
