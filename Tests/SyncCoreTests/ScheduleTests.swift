import Model
import Sync
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

    @Test("The first waits are between half and all of 1, 2, 4 and 8 seconds")
    func first() {
        #expect(
            (1...4).map { schedule.backoff(attempt: $0, draw: 0) }
                == [.milliseconds(500), .seconds(1), .seconds(2), .seconds(4)])
        #expect(schedule.backoff(attempt: 1, draw: 0.5) == .milliseconds(750))
        #expect(schedule.backoff(attempt: 1, draw: 0.999) == .milliseconds(999))
    }

    @Test(
        "From the eleventh attempt on, the cap applies", arguments: [11, 64, 70, .max])
    func cap(attempt: Int) {
        #expect(schedule.backoff(attempt: attempt, draw: 0) == .seconds(450))
        #expect(schedule.backoff(attempt: attempt, draw: 0.999) == .milliseconds(899_550))
    }

    @Test("An attempt before the first counts as the first", arguments: [0, -1, .min])
    func none(attempt: Int) {
        #expect(schedule.backoff(attempt: attempt, draw: 0) == .milliseconds(500))
    }

    @Test("A cap below the base applies from the first attempt on")
    func lowCap() {
        let schedule = Schedule(interval: .seconds(1), retryBase: .seconds(10), retryCap: .seconds(2))
        #expect(schedule.backoff(attempt: 1, draw: 0) == .seconds(1))
    }

    @Test(
        "A Retry-After lengthens a wait up to a day, and never shortens it",
        arguments: [
            (nil, 1), (.seconds(-5), 1), (.zero, 1), (.milliseconds(500), 1), (.seconds(120), 120),
            (.seconds(86_400), 86_400), (.seconds(86_401), 86_400), (.seconds(10_000_000), 86_400),
        ] as [(Duration?, Int)])
    func retryAfter(asked: Duration?, seconds: Int) {
        #expect(
            schedule.delay(until: .afterBackoff(attempt: 2), retryAfter: asked, draw: 0) == .seconds(seconds))
        #expect(
            schedule.delay(until: .afterInterval, retryAfter: asked, draw: 0.5)
                == .seconds(max(3600, seconds)))
    }

    @Test(
        "The next regular sync comes after the interval, ±10 %",
        arguments: [(0, 3240), (0.25, 3420), (0.5, 3600), (0.75, 3780)])
    func interval(draw: Double, seconds: Double) {
        let delay = schedule.delay(until: .afterInterval, draw: draw)
        #expect(delay.map { abs($0.inSeconds - seconds) < 0.001 } == true)
    }

    @Test("A sync at once has no delay, and one as before keeps its time")
    func others() {
        #expect(schedule.delay(until: .atOnce, retryAfter: .seconds(60), draw: 0.5) == .zero)
        #expect(schedule.delay(until: .asBefore, draw: 0.5) == nil)
    }

    @Test("The rest of an earlier wait is neither negative nor longer than the longest current wait")
    func remaining() {
        let now = Timestamp(milliseconds: 1_770_000_000_000)
        func remaining(_ wait: Duration?, of schedule: Schedule, retries: Bool = true) -> Duration {
            schedule.remaining(
                of: wait.map { now + $0 }, setAt: now + .seconds(-10), retries: retries, now: now)
        }
        #expect(remaining(nil, of: schedule) == .zero)
        #expect(remaining(.seconds(-1), of: schedule) == .zero)
        #expect(remaining(.seconds(40), of: schedule) == .seconds(40))
        #expect(remaining(.seconds(1_000_000_000), of: schedule) == .seconds(86_400))
        #expect(
            remaining(.seconds(1_000_000_000), of: Schedule(interval: .seconds(200_000)))
                == .seconds(220_000))
        #expect(remaining(.seconds(80_000), of: schedule) == .seconds(80_000), "upstream may ask for a day")
        #expect(
            remaining(.seconds(80_000), of: schedule, retries: false) == .seconds(3960),
            "the interval was longer then")
    }

    @Test("The longer interval holds while changes are trusted")
    func trusted() {
        let schedule = Schedule(interval: .seconds(900), trustedInterval: .seconds(3600))
        var changes = TrackedChanges(fingerprint: "a")
        #expect(schedule.following(nil).interval == .seconds(900))
        changes.trust.level = .trusted
        #expect(schedule.following(changes).interval == .seconds(900), "there is no token")
        changes.token = "t"
        #expect(schedule.following(changes).interval == .seconds(3600))
        #expect(Schedule(interval: .seconds(60)).following(changes).interval == .seconds(60))
        changes.trust.level = .watched
        #expect(schedule.following(changes).interval == .seconds(900))
    }

    @Test("A machine that is back syncs within ten minutes, unless its last success is recent")
    func back() {
        func delay(_ remaining: Int, _ age: Int?, draw: Double = 0.5) -> Duration {
            schedule.delayWhenBack(
                remaining: .seconds(remaining), age: age.map { .seconds($0) }, draw: draw)
        }
        #expect(delay(2000, 901) == .seconds(300))
        #expect(delay(100, 901) == .seconds(100))
        #expect(delay(0, 901, draw: 0.9) == .seconds(540))
        #expect(delay(2000, 900) == .seconds(2000))
        #expect(delay(2000, nil) == .seconds(2000))
    }

    @Test("If the clock is behind the time when a wait was set, the wait is over")
    func clockSetBack() {
        let now = Timestamp(milliseconds: 1_770_000_000_000)
        let left = schedule.remaining(of: now + .seconds(50), setAt: now + .seconds(10), now: now)
        #expect(left == .zero)
    }
}

@Suite struct WakeupTests {
    private let schedule = Schedule(interval: .seconds(3600))

    private func delay(
        remaining: Duration = .seconds(900), patience: Duration = .seconds(-1),
        sinceAttempt: Duration = .seconds(100), woken: Int = 0, draw: Double = 0.5
    ) -> Duration {
        schedule.delayWhenWoken(
            remaining: remaining, patience: patience, sinceAttempt: sinceAttempt, woken: woken, draw: draw)
    }

    @Test("A waiting attempt comes within one to five seconds after a wakeup")
    func soon() {
        #expect([0, 0.5, 0.75].map { delay(draw: $0) } == [.seconds(1), .seconds(3), .seconds(4)])
    }

    @Test("A wakeup never makes a wait longer or negative")
    func neverLater() {
        #expect(delay(remaining: .milliseconds(200)) == .milliseconds(200))
        #expect(delay(remaining: .seconds(-3)) == .zero)
    }

    @Test(
        "Woken attempts are ten seconds apart, and after three of them the gap doubles",
        arguments: [(0, 8), (1, 8), (2, 8), (3, 18), (4, 38), (5, 78), (9, 900), (.max, 900)])
    func flapping(woken: Int, seconds: Int) {
        let wait = delay(sinceAttempt: .seconds(2), woken: woken)
        #expect(wait == .seconds(seconds))
    }

    @Test("A wakeup does not shorten a Retry-After")
    func patience() {
        #expect(delay(patience: .seconds(600)) == .seconds(600))
    }

    @Test("A new network may fix network failures, but no answer of upstream")
    func mends() {
        func mended(by wakeup: Wakeup) -> [Failure.Kind] {
            Failure.Kind.allCases.filter {
                wakeup.mayMend(Failure(kind: $0, message: "", retryable: true))
            }
        }
        #expect(mended(by: .networkChanged) == [.offline, .timeout, .tls])
        #expect(mended(by: .resumed) == Failure.Kind.allCases)
        #expect(mended(by: .clockJumped) == Failure.Kind.allCases)
        let refused = Failure(kind: .removalGuard, message: "", retryable: false)
        #expect(!Wakeup.allCases.contains { $0.mayMend(refused) })
    }
}

@Suite struct RemovalGuardTests {
    @Test(
        "A sync that would remove more than the limit of 20 or more rows, or all rows, is refused",
        arguments: [
            // limit, cached, removed, refused
            (0.5, 20, 10, false), (0.5, 20, 11, true), (0.5, 20, 20, true), (0.5, 21, 10, false),
            (0.5, 21, 11, true), (0.5, 19, 18, false), (0.5, 19, 19, true), (0.5, 0, 0, false),
            (0, 20, 0, false), (0, 20, 1, true), (0, 19, 18, false), (0, 1, 1, true), (1, 3, 3, false),
            (1, 20, 20, false), (1, 100_000, 100_000, false),
            (0.1, 100_000, 10_000, false), (0.1, 100_000, 10_001, true),
        ] as [(Double, Int, Int, Bool)])
    func edges(limit: Double, cached: Int, removed: Int, refused: Bool) {
        let removals = RemovalGuard(limit: limit)
        #expect((removals.refusal(removing: removed, of: cached) != nil) == refused)
        // Below 20 rows, others in their place are a new staff.
        if cached < 20 { #expect(removals.refusal(removing: removed, of: cached, adding: 1) == nil) }
    }

    @Test("A refused sync says how many of how many rows it would remove, and is not tried again")
    func message() throws {
        let error = try #require(RemovalGuard(limit: 0.5).refusal(removing: 30, of: 40))
        #expect(error.failure.kind == .removalGuard && !error.failure.retryable)
        #expect(error.failure.message.contains("30 of 40"))
        #expect(error.failure.advice?.kind == .acceptRemovals)
    }

    @Test("The advice on a refused sync mentions ids if most rows would be new")
    func others() throws {
        for (added, isSaid) in [(40, true), (11, true), (10, false), (0, false)] {
            let refusal = RemovalGuard(limit: 0.5).refusal(removing: 30, of: 40, adding: added)
            #expect(refusal?.failure.advice?.kind == (isSaid ? .acceptNewIDs : .acceptRemovals), "\(added)")
        }
    }
}
