import Glibc
import TerminalViews

/// What a service tells its manager, in one datagram (sd_notify(3)).
package enum Notification: Hashable, Sendable {
    /// It has started, or has ended a reload.
    case ready(status: String)
    case status(String)
    /// It is on its way up, and is to be heard of again within that time at the latest.
    case starting(within: Duration)
    /// - Parameter since: when the reload began, on CLOCK_MONOTONIC.
    case reloading(since: Duration)
    case stopping(status: String)
    case alive

    package var text: String {
        switch self {
        case .ready(let status): "READY=1\n" + assignment(status)
        case .status(let status): assignment(status)
        case .starting(let limit): "EXTEND_TIMEOUT_USEC=\(limit.microseconds)"
        case .reloading(let time): "RELOADING=1\nMONOTONIC_USEC=\(time.microseconds)"
        case .stopping(let status): "STOPPING=1\n" + assignment(status)
        case .alive: "WATCHDOG=1"
        }
    }

    /// In characters. A manager drops datagrams of more than 4096 bytes.
    static let maximumStatus = 300

    /// A line more would be an assignment more, and `systemctl status` prints what it is given.
    private func assignment(_ status: String) -> String {
        let shown = status.prefix(Self.maximumStatus)
        return "STATUS=" + String(shown).sanitised + (shown.endIndex < status.endIndex ? "…" : "")
    }
}

/// The time on CLOCK_MONOTONIC, which a manager compares with its own.
package func monotonicTime() -> Duration {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
}

extension Duration {
    fileprivate var microseconds: Int64 {
        let (seconds, attoseconds) = components
        return seconds * 1_000_000 + attoseconds / 1_000_000_000_000
    }
}
