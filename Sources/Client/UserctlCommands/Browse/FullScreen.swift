import Glibc

/// Switches a terminal to a full screen, and restores it when the program ends by itself, by a signal or by a crash, except
/// one for want of stack.
final class FullScreen {
    let input: Int32
    let output: Int32
    private let found: termios

    /// Nil if the descriptors are not a terminal.
    init?(input: Int32, output: Int32) {
        var found = termios()
        guard isatty(output) == 1, tcgetattr(input, &found) == 0 else { return nil }
        (self.input, self.output, self.found) = (input, output, found)
    }

    func enter() throws {
        restoreAtCrash()
        var raw = found.ofFullScreen
        tcsetattr(input, TCSADRAIN, &raw)
        try write(TerminalModes.enter)
    }

    func leave() {
        var found = found
        try? write(TerminalModes.leave)
        tcsetattr(input, TCSADRAIN, &found)
        for number in crashes { signal(number, SIG_DFL) }
    }

    /// Takes the place of Swift's handlers, which would print a backtrace onto the full screen, and wait for a key there.
    private func restoreAtCrash() {
        // Not again on SIGCONT, when other threads run under the handlers.
        if atCrash == nil { atCrash = (input, output, found, strdup(TerminalModes.leave)) }
        for number in crashes {
            // Calls only what signal-safety(7) allows.
            signal(number) { number in
                signal(number, SIG_DFL)
                if var screen = atCrash {
                    Glibc.write(screen.output, screen.text, strlen(screen.text))
                    tcsetattr(screen.input, TCSANOW, &screen.found)
                }
                raise(number)
            }
        }
    }

    func write(_ text: String) throws { try writeAll(Array(text.utf8), to: output) }

    /// Stops for the shell's job control, and returns on SIGCONT. Neither signal has a handler then.
    /// - Parameter wholeJob: stops the whole job, as a terminal does on Ctrl-Z.
    func suspend(wholeJob: Bool) throws {
        leave()
        if wholeJob {
            signal(SIGTSTP, SIG_IGN)
            kill(0, SIGTSTP)
        }
        // A handler for SIGCONT would enter the full screen a second time.
        for number in [SIGTSTP, SIGCONT] { signal(number, SIG_DFL) }
        // To this thread: another might take the signal after this one has entered the full screen again.
        pthread_kill(pthread_self(), SIGTSTP)
        try enter()
    }
}

private let crashes = [SIGSEGV, SIGBUS, SIGILL, SIGTRAP, SIGABRT, SIGFPE, SIGSYS]

// Global, because a signal handler can't capture. Written before the handlers are installed.
@exclusivity(unchecked) nonisolated(unsafe) private var atCrash:
    (input: Int32, output: Int32, found: termios, text: UnsafeMutablePointer<CChar>)?

extension termios {
    fileprivate var ofFullScreen: termios {
        var raw = self
        cfmakeraw(&raw)
        // Keeps newline processing, so that other programs' output stays readable.
        raw.c_oflag = c_oflag
        return raw
    }
}
