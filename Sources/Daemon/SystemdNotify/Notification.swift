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

    /// Whether the manager waits for it.
    var isVital: Bool { if case .ready = self { true } else { false } }

    /// In bytes, so much that a line can be read. A manager drops datagrams of more than 4096.
    static let maximumStatus = 1000

    /// A line more would be an assignment more, and `systemctl status` prints what it is given.
    private func assignment(_ status: String) -> String {
        let clean = status.sanitised
        guard clean.utf8.count > Self.maximumStatus else { return "STATUS=" + clean }
        var shown = ""
        for scalar in clean.unicodeScalars {
            guard shown.utf8.count + UTF8.width(scalar) <= Self.maximumStatus else { break }
            shown.unicodeScalars.append(scalar)
        }
        return "STATUS=" + shown + "…"
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
