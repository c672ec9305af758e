import TerminalViews

/// What a service tells its manager, in one datagram (sd_notify(3)).
package enum Notification: Hashable, Sendable {
    /// It has started.
    case ready(status: String)
    case status(String)
    case stopping(status: String)

    package var text: String {
        switch self {
        case .ready(let status): "READY=1\n" + assignment(status)
        case .status(let status): assignment(status)
        case .stopping(let status): "STOPPING=1\n" + assignment(status)
        }
    }

    /// In characters. A manager drops datagrams of more than 4096 bytes.
    static let maximumStatus = 500

    /// A line more would be an assignment more, and `systemctl status` prints what it is given.
    private func assignment(_ status: String) -> String {
        let shown = status.prefix(Self.maximumStatus)
        return "STATUS=" + String(shown).sanitised + (shown.endIndex < status.endIndex ? "…" : "")
    }
}
