import FoundationEssentials
import Glibc
import Model
import TerminalViews
import UserdAPI

/// The time as people read it off the wall where they are.
package struct WallClock: Sendable {
    package var now: @Sendable () -> Timestamp
    /// Seconds east of UTC at a moment.
    package var offset: @Sendable (Timestamp) -> Int
    /// Whether it is another's, and not this machine's.
    private(set) var isAnothers = false
    /// Whether ages can be told by it; else the times themselves are.
    private var tellsAges = true

    package init(
        now: @escaping @Sendable () -> Timestamp, offset: @escaping @Sendable (Timestamp) -> Int = { _ in 0 }
    ) {
        self.now = now
        self.offset = offset
    }

    package static let system = WallClock(
        now: { Timestamp(Date()) },
        offset: { time in
            var seconds = time_t(time.milliseconds / 1000)
            var local = tm()
            return localtime_r(&seconds, &local) == nil ? 0 : local.tm_gmtoff
        })

    /// `2026-01-02 03:04:05`, local time.
    package func text(_ time: Timestamp) -> String {
        let local = time + .seconds(offset(time))
        return String(local.description.prefix(19)).replacing("T", with: " ")
    }

    /// `3 min ago`.
    package func ago(_ time: Timestamp) -> String { tellsAges ? TerminalViews.ago(now() - time) : text(time) }

    /// `in 3 min`.
    package func until(_ time: Timestamp) -> String {
        tellsAges ? TerminalViews.until(time - now()) : text(time)
    }
}

extension WallClock {
    /// That of the userd which has just said so of what it serves: where it replays a recording, the recording's.
    package func following(_ freshness: Freshness) -> WallClock {
        guard let syncedAt = freshness.syncedAt, let age = freshness.age else { return self }
        let lag = now() - (syncedAt + .seconds(min(max(age, 0), 1e15)))
        // So much the answer may have taken.
        guard lag > .seconds(5) || lag < .seconds(-5) else { return self }
        var clock = self
        clock.now = { [now] in now() + (.zero - lag) }
        clock.isAnothers = true
        return clock
    }

    /// That of the userd which has said so of itself.
    /// - Parameter freshness: what it says of something that it has synced; nil where that can't be had.
    package func following(_ daemon: DaemonState, _ freshness: Freshness?) -> WallClock {
        if let freshness, freshness.age != nil { return following(freshness) }
        var clock = self
        let began = ([daemon.startedAt] + daemon.states.map(\.since)).max() ?? daemon.startedAt
        let latest = max(began, daemon.states.compactMap(\.nextSyncAt).max() ?? began)
        // A userd that has not synced yet has only just tried, or is about to.
        clock.tellsAges = latest - now() > .seconds(-3600) && began - now() < .seconds(60)
        return clock
    }
}
