import Model
import Testing

@Suite struct FreshnessTests {
    private let now = Timestamp(milliseconds: 1_770_000_000_000)
    private let interval = Duration.seconds(60)

    @Test("A resource that never synced is stale")
    func never() {
        #expect(Freshness.isStale(syncedAt: nil, interval: interval, now: now))
    }

    @Test("With an interval of 15 minutes or more, rows are fresh for two hours at least")
    func atLeast() {
        for (interval, limit) in [(900, 7200), (3600, 7200), (7200, 14_400), (899, 1798)] {
            func isStale(_ seconds: Int) -> Bool {
                Freshness.isStale(syncedAt: now + .seconds(-seconds), interval: .seconds(interval), now: now)
            }
            #expect(!isStale(limit) && isStale(limit + 1), "\(interval)")
        }
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
