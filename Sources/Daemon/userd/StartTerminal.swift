import Glibc

/// The terminal that userd was started in. Closing it sends SIGHUP, which is then no reload.
struct StartTerminal {
    /// Not under systemd, and not with nohup(1), which starts programs that ignore the signal.
    private let endsUserd: Bool

    /// Ignores SIGHUP from here on.
    init() {
        let former = unsafeBitCast(signal(SIGHUP, SIG_IGN), to: Int.self)
        endsUserd = former != unsafeBitCast(SIG_IGN, to: Int.self) && Self.isThere
    }

    var isClosed: Bool { endsUserd && !Self.isThere }

    private static var isThere: Bool {
        let descriptor = open("/dev/tty", O_RDONLY | O_NOCTTY | O_CLOEXEC)
        guard descriptor >= 0 else { return false }
        close(descriptor)
        return true
    }
}
