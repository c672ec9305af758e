import Glibc

/// The terminal that userd was started in. Closing it sends SIGHUP, which then ends userd.
struct StartTerminal {
    /// False under systemd, and with nohup(1), which starts programs that ignore the signal.
    private let endsUserd: Bool

    /// Ignores SIGHUP from here on.
    init() {
        var former = sigaction()
        sigaction(SIGHUP, nil, &former)
        // SIG_IGN is 1 (signal.h); functions can't be compared.
        let isIgnored = withUnsafeBytes(of: former.__sigaction_handler) { $0.load(as: Int.self) } == 1
        endsUserd = !isIgnored && Self.isThere
        signal(SIGHUP, SIG_IGN)
    }

    var isClosed: Bool { endsUserd && !Self.isThere }

    private static var isThere: Bool {
        let descriptor = open("/dev/tty", O_RDONLY | O_NOCTTY | O_CLOEXEC)
        guard descriptor >= 0 else { return false }
        close(descriptor)
        return true
    }
}
