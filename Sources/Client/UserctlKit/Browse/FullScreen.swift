import Glibc

/// A terminal in the state that a full screen needs, and back in the one in which it was found, whatever happens.
final class FullScreen {
    let input: Int32
    let output: Int32
    private let found: termios
    private let guardian: TerminalGuardian?

    /// Nil where it is no terminal.
    init?(input: Int32, output: Int32) {
        var found = termios()
        guard isatty(output) == 1, tcgetattr(input, &found) == 0 else { return nil }
        (self.input, self.output, self.found) = (input, output, found)
        // A guardian that was killed is no reason to die.
        signal(SIGPIPE, SIG_IGN)
        guardian = TerminalGuardian(terminal: output, found: found, set: found.ofFullScreen)
        CrashRestoration.arm(input: input, output: output, found: found, guardian: guardian?.descriptor)
    }

    func enter() throws {
        guardian?.tell(isInUse: true)
        CrashRestoration.isInUse = true
        var raw = found.ofFullScreen
        tcsetattr(input, TCSADRAIN, &raw)
        try write(TerminalModes.enter)
    }

    func leave() {
        var found = found
        try? write(TerminalModes.leave)
        tcsetattr(input, TCSADRAIN, &found)
        CrashRestoration.isInUse = false
        guardian?.tell(isInUse: false)
    }

    func write(_ text: String) throws { try writeAll(Array(text.utf8), to: output) }

    /// Stops as for the shell's job control, and comes back when the shell says so.
    /// - Parameter everybody: the whole job, as the terminal does it for Ctrl-Z.
    func suspend(everybody: Bool) throws {
        leave()
        if everybody {
            signal(SIGTSTP, SIG_IGN)
            kill(0, SIGTSTP)
        }
        signal(SIGTSTP, SIG_DFL)
        // To this thread: another one could stop so much later that the terminal would be taken again before.
        pthread_kill(pthread_self(), SIGTSTP)
        try enter()
    }
}

/// A process that puts the terminal back where this one can't do so any more: after `kill -9`, say.
///
/// A shell does it, which takes a millisecond to start and a megabyte while it waits.
private struct TerminalGuardian {
    /// Of the pipe that it reads; its end is the end of this process.
    let descriptor: Int32

    /// A shell that has line editing sets the modes for it as soon as its job has ended, and is not to be disturbed; the
    /// modes are put back only where nobody has done so after a while. The screen is left at once: a prompt that was
    /// printed on it would be lost.
    private static let script = """
        trap '' HUP INT QUIT TERM TSTP TTIN TTOU
        while read -r place; do last=$place; done
        if [ "$last" = in ]; then
            printf %s "$3"
            sleep 0.2
            exec <&1
            if [ "$(stty -g)" = "$2" ]; then stty "$1"; fi
        fi
        """

    /// - Parameters:
    ///   - found: the modes to put back.
    ///   - set: those of the full screen.
    init?(terminal: Int32, found: termios, set: termios) {
        guard let pipe = Pipe(waits: false) else { return nil }
        defer { close(pipe.reading) }
        // A shell waits for its input.
        _ = fcntl(pipe.reading, F_SETFL, 0)
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, terminal, 1)
        posix_spawn_file_actions_adddup2(&actions, pipe.reading, 0)
        posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
        // Signals for the job are none of its business.
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETPGROUP))
        let words = [
            "/bin/sh", "-c", Self.script, "userctl-terminal-guardian", found.sttyWords, set.sttyWords,
            TerminalModes.leave,
        ]
        let arguments = words.map { strdup($0) } + [nil]
        defer { for argument in arguments { free(argument) } }
        var process = pid_t()
        guard posix_spawn(&process, words[0], &actions, &attributes, arguments, environ) == 0 else {
            close(pipe.writing)
            return nil
        }
        descriptor = pipe.writing
    }

    func tell(isInUse: Bool) {
        let word = isInUse ? "in\n" : "out\n"
        Glibc.write(descriptor, word, word.utf8.count)
    }
}

extension termios {
    fileprivate var ofFullScreen: termios {
        var raw = self
        cfmakeraw(&raw)
        // New lines are still new lines: what else writes to the terminal stays readable.
        raw.c_oflag = c_oflag
        return raw
    }

    /// As `stty -g` writes it.
    fileprivate var sttyWords: String {
        let characters = withUnsafeBytes(of: c_cc) { $0.map { UInt32($0) } }
        return ([c_iflag, c_oflag, c_cflag, c_lflag] + characters).map { String($0, radix: 16) }
            .joined(separator: ":")
    }
}
