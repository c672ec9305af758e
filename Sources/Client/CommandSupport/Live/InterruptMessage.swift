import Glibc

/// Written on stderr when Ctrl-C ends the program.
package enum InterruptMessage: Sendable {
    /// Of a sync that is waited for.
    case syncGoesOn
}

extension InterruptMessage {
    /// Sets the handler of SIGINT, or removes it for nil. A SIGINT that the parent process ignores stays ignored.
    static func prepare(_ message: InterruptMessage?) {
        var found = sigaction()
        sigaction(SIGINT, nil, &found)
        guard
            unsafeBitCast(found.__sigaction_handler.sa_handler, to: Int.self)
                != unsafeBitCast(SIG_IGN, to: Int.self)
        else {
            return
        }
        switch message {
        case .syncGoesOn where isatty(STDERR_FILENO) == 1:
            // The terminal has shown ^C on this line.
            signal(SIGINT) { _ in end("\nuserctl: the sync goes on; `userctl cancel` stops it\n") }
        case .syncGoesOn:
            signal(SIGINT) { _ in end("userctl: the sync goes on; `userctl cancel` stops it\n") }
        case nil: signal(SIGINT, SIG_DFL)
        }
    }
}

/// Calls only functions of signal-safety(7). Ends by the signal, so that the shell sees it.
private func end(_ message: StaticString) {
    write(STDERR_FILENO, message.utf8Start, message.utf8CodeUnitCount)
    signal(SIGINT, SIG_DFL)
    raise(SIGINT)
}
