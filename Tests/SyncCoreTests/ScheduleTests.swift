import Model
import SyncCore
import Testing

@Suite struct ScheduleTests {
    private let schedule = Schedule(interval: .seconds(3600))

    @Test("Attempt n waits between half of and all of base · 2^(n-1), up to the cap", arguments: 1...70)
    func bounds(attempt: Int) {
        let all = min(900, attempt > 10 ? 900 : Double(1 << (attempt - 1)))
        for draw in [0, 0.5, 0.999] {
            let wait = schedule.backoff(attempt: attempt, draw: draw).inSeconds
            #expect(abs(wait - all * (0.5 + draw / 2)) < 0.0011)
            #expect(wait >= all / 2 && wait <= all)
        }
    }

    @Test("The first waits are these")
    func first() {
        #expect(
            (1...4).map { schedule.backoff(attempt: $0, draw: 0) }
                == [.milliseconds(500), .seconds(1), .seconds(2), .seconds(4)])
        #expect(schedule.backoff(attempt: 1, draw: 0.5) == .milliseconds(750))
        #expect(schedule.backoff(attempt: 1, draw: 0.999) == .milliseconds(999))
    }

    @Test(
        "From the eleventh attempt on the cap holds, however many there were", arguments: [11, 64, 70, .max])
    func cap(attempt: Int) {
        #expect(schedule.backoff(attempt: attempt, draw: 0) == .seconds(450))
        #expect(schedule.backoff(attempt: attempt, draw: 0.999) == .milliseconds(899_550))
    }

    @Test("An attempt before the first counts as the first", arguments: [0, -1, .min])
    func none(attempt: Int) {
        #expect(schedule.backoff(attempt: attempt, draw: 0) == .milliseconds(500))
    }

    @Test("A cap below the base holds from the first attempt on")
    func lowCap() {
        let schedule = Schedule(interval: .seconds(1), retryBase: .seconds(10), retryCap: .seconds(2))
        #expect(schedule.backoff(attempt: 1, draw: 0) == .seconds(1))
    }

    @Test(
        "Retry-After lengthens a wait up to a day, and never shortens it",
        arguments: [
            (nil, 1), (.seconds(-5), 1), (.zero, 1), (.milliseconds(500), 1), (.seconds(120), 120),
            (.seconds(86_400), 86_400), (.seconds(86_401), 86_400), (.seconds(10_000_000), 86_400),
        ] as [(Duration?, Int)])
    func retryAfter(asked: Duration?, seconds: Int) {
        #expect(
            schedule.delay(until: .afterBackoff(attempt: 2), retryAfter: asked, draw: 0) == .seconds(seconds))
        #expect(
            schedule.delay(until: .afterInterval, retryAfter: asked, draw: 0) == .seconds(max(3600, seconds)))
    }

    @Test("At once is at once, and as before is left to who knows")
    func others() {
        #expect(schedule.delay(until: .atOnce, retryAfter: .seconds(60), draw: 0.5) == .zero)
        #expect(schedule.delay(until: .asBefore, draw: 0.5) == nil)
    }

    @Test("What is left of an earlier wait is neither negative nor longer than any wait of now")
    func remaining() {
        #expect(schedule.remaining(of: nil) == .zero)
        #expect(schedule.remaining(of: .seconds(-1)) == .zero)
        #expect(schedule.remaining(of: .seconds(40)) == .seconds(40))
        #expect(schedule.remaining(of: .seconds(1_000_000_000)) == .seconds(86_400))
        #expect(
            Schedule(interval: .seconds(200_000)).remaining(of: .seconds(1_000_000_000)) == .seconds(200_000))
    }
}

@Suite struct RemovalGuardTests {
    @Test(
        "A sync that would remove more than the limit of at least 20 rows is refused",
        arguments: [
            // limit, cached, removed, refused
            (0.5, 20, 10, false), (0.5, 20, 11, true), (0.5, 20, 20, true), (0.5, 21, 10, false),
            (0.5, 21, 11, true), (0.5, 19, 19, false), (0.5, 0, 0, false),
            (0, 20, 0, false), (0, 20, 1, true), (0, 19, 19, false),
            (1, 20, 20, false), (1, 100_000, 100_000, false),
            (0.1, 100_000, 10_000, false), (0.1, 100_000, 10_001, true),
        ] as [(Double, Int, Int, Bool)])
    func edges(limit: Double, cached: Int, removed: Int, refused: Bool) {
        #expect((RemovalGuard(limit: limit).refusal(removing: removed, of: cached) != nil) == refused)
    }

    @Test("The refusal says how many of how many, and how to accept them; trying again is of no use")
    func message() throws {
        let failure = try #require(RemovalGuard(limit: 0.5).refusal(removing: 30, of: 40))
        #expect(failure.kind == .removalGuard && !failure.retryable)
        #expect(failure.message.contains("30 of 40"))
        #expect(failure.message.contains("--accept-removals"))
    }
}
