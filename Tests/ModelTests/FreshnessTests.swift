import Model
import Testing

@Suite struct FreshnessTests {
    private let now = Timestamp(milliseconds: 1_770_000_000_000)
    private let interval = Duration.seconds(60)

    @Test("A resource that never synced is stale")
    func never() {
        #expect(Freshness.isStale(syncedAt: nil, interval: interval, now: now))
    }

    @Test("Rows are fresh until twice the interval after their sync, and stale a millisecond later")
    func edge() {
        #expect(!Freshness.isStale(syncedAt: now + .seconds(-120), interval: interval, now: now))
        #expect(Freshness.isStale(syncedAt: now + .milliseconds(-120_001), interval: interval, now: now))
    }

    @Test("A clock that is set back makes rows stale only if it is set back far")
    func future() {
        #expect(!Freshness.isStale(syncedAt: now, interval: interval, now: now))
        #expect(!Freshness.isStale(syncedAt: now + .seconds(120), interval: interval, now: now))
        #expect(Freshness.isStale(syncedAt: now + .milliseconds(120_001), interval: interval, now: now))
    }
}
