import Model
import Testing

@Suite struct FreshnessTests {
    private let now = Timestamp(milliseconds: 1_770_000_000_000)
    private let interval = Duration.seconds(60)

    @Test("What never synced is stale")
    func never() {
        #expect(Freshness.isStale(syncedAt: nil, interval: interval, now: now))
    }

    @Test("A sync twice the interval ago is fresh, and a millisecond more makes it stale")
    func edge() {
        #expect(!Freshness.isStale(syncedAt: now + .seconds(-120), interval: interval, now: now))
        #expect(Freshness.isStale(syncedAt: now + .milliseconds(-120_001), interval: interval, now: now))
    }

    @Test("A clock set a little back does not make a sync stale, and one set far back does")
    func future() {
        #expect(!Freshness.isStale(syncedAt: now, interval: interval, now: now))
        #expect(!Freshness.isStale(syncedAt: now + .seconds(120), interval: interval, now: now))
        #expect(Freshness.isStale(syncedAt: now + .milliseconds(120_001), interval: interval, now: now))
    }
}
