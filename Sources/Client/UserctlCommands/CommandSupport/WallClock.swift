import FoundationEssentials
import Glibc
import Model
import TerminalViews

/// The local time.
struct WallClock: Sendable {
    var now: @Sendable () -> Timestamp
    /// Seconds east of UTC at a moment.
    var offset: @Sendable (Timestamp) -> Int = { _ in 0 }

    static let system = WallClock(
        now: { Timestamp(Date()) },
        offset: { time in
            var seconds = time_t(time.milliseconds / 1000)
            var local = tm()
            return localtime_r(&seconds, &local) == nil ? 0 : local.tm_gmtoff
        })

    /// `2026-01-02 03:04:05`, local time.
    func text(_ time: Timestamp) -> String {
        let local = time + .seconds(offset(time))
        return String(local.description.prefix(19)).replacing("T", with: " ")
    }

    /// `3 min ago`.
    func ago(_ time: Timestamp) -> String { TerminalViews.ago(now() - time) }

    /// `in 3 min`.
    func until(_ time: Timestamp) -> String { TerminalViews.until(time - now()) }
}
