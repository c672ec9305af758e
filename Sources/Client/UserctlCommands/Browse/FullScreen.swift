import Glibc

/// Switches a terminal to a full screen, and always restores it, even after a crash or `kill -9`.
package final class FullScreen {
    package let input: Int32
    package let output: Int32
    private let found: termios
    private let guardian: TerminalGuardian?

    /// Nil if the descriptors are not a terminal.
    package init?(input: Int32, output: Int32) {
        var found = termios()
        guard isatty(output) == 1, tcgetattr(input, &found) == 0 else { return nil }
        (self.input, self.output, self.found) = (input, output, found)
        // Swift's runtime would print a backtrace onto the full screen, and wait for a key there.
        for number in [SIGSEGV, SIGBUS, SIGILL, SIGTRAP, SIGABRT, SIGFPE, SIGSYS] { signal(number, SIG_DFL) }
        guardian = TerminalGuardian(terminal: output, found: found, set: found.ofFullScreen)
    }

    func enter() throws {
        // Writing to a guardian that was killed must not end the program.
        signal(SIGPIPE, SIG_IGN)
        guardian?.tell(isInUse: true)
        var raw = found.ofFullScreen
        tcsetattr(input, TCSADRAIN, &raw)
        try write(TerminalModes.enter)
    }

    package func leave() {
        var found = found
        try? write(TerminalModes.leave)
        tcsetattr(input, TCSADRAIN, &found)
        guardian?.tell(isInUse: false)
        // What is printed afterwards may go to a pipe that its reader has closed.
        signal(SIGPIPE, SIG_DFL)
    }

    package func write(_ text: String) throws { try writeAll(Array(text.utf8), to: output) }

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

/// A process that restores the terminal if this one can't, as after a crash or `kill -9`. It is a shell,
/// which starts in a millisecond and takes a megabyte.
private struct TerminalGuardian {
    /// The pipe that it reads; end of file means that this process has ended.
    let descriptor: Int32

    /// Leaves the alternate screen at once: a prompt printed on it would be lost. Restores the modes only if they are
    /// unchanged after a while: a shell with line editing sets its own as soon as the job has ended.
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
    ///   - found: the modes to restore.
    ///   - set: the full screen's modes.
    init?(terminal: Int32, found: termios, set: termios) {
        guard let pipe = Pipe(waits: false) else { return nil }
        defer { close(pipe.reading) }
        // The shell needs blocking reads.
        _ = fcntl(pipe.reading, F_SETFL, 0)
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, terminal, 1)
        posix_spawn_file_actions_adddup2(&actions, pipe.reading, 0)
        posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
        // In a process group of its own, so that signals to the job don't reach it.
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
        // Keeps newline processing, so that other programs' output stays readable.
        raw.c_oflag = c_oflag
        return raw
    }

    /// In the format of `stty -g`.
    fileprivate var sttyWords: String {
        let characters = withUnsafeBytes(of: c_cc) { $0.map { UInt32($0) } }
        return ([c_iflag, c_oflag, c_cflag, c_lflag] + characters).map { String($0, radix: 16) }
            .joined(separator: ":")
    }
}
