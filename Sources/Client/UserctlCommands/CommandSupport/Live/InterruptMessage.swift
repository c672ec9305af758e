import Glibc

/// Makes Ctrl-C say on stderr that the sync goes on, before it ends the program; false undoes this. A SIGINT
/// that the parent process ignores stays ignored.
let sayAtInterrupt: @Sendable (_ syncGoesOn: Bool) -> Void = { syncGoesOn in
    var found = sigaction()
    sigaction(SIGINT, nil, &found)
    let isIgnored = withUnsafeBytes(of: found.__sigaction_handler) { handler in
        withUnsafeBytes(of: SIG_IGN) { handler.elementsEqual($0) }
    }
    guard !isIgnored else { return }
    if !syncGoesOn {
        signal(SIGINT, SIG_DFL)
    } else if isatty(STDERR_FILENO) == 1 {
        // The terminal has shown ^C on this line.
        signal(SIGINT) { _ in end("\nuserctl: the sync goes on; `userctl cancel` stops it\n") }
    } else {
        signal(SIGINT) { _ in end("userctl: the sync goes on; `userctl cancel` stops it\n") }
    }
}

/// Calls only functions of signal-safety(7). Ends by the signal, so that the shell sees it.
private func end(_ message: StaticString) {
    write(STDERR_FILENO, message.utf8Start, message.utf8CodeUnitCount)
    signal(SIGINT, SIG_DFL)
    raise(SIGINT)
}
