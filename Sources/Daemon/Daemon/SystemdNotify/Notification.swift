import Glibc
import Model

/// One datagram from a service to its manager (sd_notify(3)).
enum Notification: Hashable, Sendable {
    /// Started, or finished a reload.
    case ready(status: String)
    case status(String)
    /// Still starting; the next notification follows within this time.
    case starting(within: Duration)
    /// - Parameter since: the reload's start on CLOCK_MONOTONIC.
    case reloading(since: Duration)
    case stopping(status: String)
    case alive

    var text: String {
        switch self {
        case .ready(let status): "READY=1\n" + assignment(status)
        case .status(let status): assignment(status)
        case .starting(let limit): "EXTEND_TIMEOUT_USEC=\(limit.microseconds)"
        case .reloading(let time): "RELOADING=1\nMONOTONIC_USEC=\(time.microseconds)"
        case .stopping(let status): "STOPPING=1\n" + assignment(status)
        case .alive: "WATCHDOG=1"
        }
    }

    /// True if the manager waits for it and ends a service that does not send it.
    var isVital: Bool { if case .ready = self { true } else { false } }

    /// In bytes. A manager drops datagrams of more than 4096.
    static let maximumStatus = 1000

    /// Newlines are escaped: each line of a datagram is an assignment. So are terminal controls:
    /// `systemctl status` prints the text as it is.
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

/// The time on CLOCK_MONOTONIC, the clock of systemd's timestamps.
func monotonicTime() -> Duration {
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
