import CommandSupport
import Glibc
import TerminalViews

/// Runs a program with a text as its standard input, without a shell, and waits until it ends, but not for processes
/// that it leaves behind: `xclip` serves the clipboard in the background. Throws a `CommandError` if the program fails or
/// takes longer than the limit; then it is killed.
package func feed(
    _ input: String, to path: String, _ arguments: [String], environment: Environment, within limit: Duration
) throws(CommandError) {
    let deadline = ContinuousClock.now + limit
    guard let standardInput = Pipe(waits: false) else { throw failure("pipe", errno) }
    defer { close(standardInput.reading) }
    guard let errors = Pipe(waits: false) else {
        close(standardInput.writing)
        throw failure("pipe", errno)
    }
    defer { close(errors.reading) }
    var program = FedProgram(
        process: try spawn(path, arguments, environment, standardInput.reading, errors.writing))
    close(errors.writing)
    // This process's reading end is open until the text is written, so a program that reads nothing causes no SIGPIPE.
    program.write(Array(input.utf8), to: standardInput.writing, until: deadline)
    close(standardInput.writing)
    guard let code = program.code(until: deadline) else {
        throw CommandError("it did not end within \(inWords(limit))", .failed)
    }
    guard code == 0 else {
        let line = text(errors.reading).split(whereSeparator: \.isNewline).first.map(String.init)
        throw CommandError(line ?? "it ended with code \(code)", .failed)
    }
}

private struct FedProgram {
    let process: pid_t
    /// As waitpid(2) reports it; nil while the program runs.
    private var status: Int32?

    init(process: pid_t) { self.process = process }

    private var hasEnded: Bool {
        mutating get {
            var status: Int32 = 0
            if self.status == nil, waitpid(process, &status, WNOHANG) == process { self.status = status }
            return self.status != nil
        }
    }

    /// Writes until the program or the time ends.
    mutating func write(_ bytes: [UInt8], to descriptor: Int32, until deadline: ContinuousClock.Instant) {
        var rest = bytes[...]
        while !rest.isEmpty, !hasEnded, ContinuousClock.now < deadline {
            var polled = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
            guard poll(&polled, 1, 10) > 0 else { continue }
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count > 0 { rest = rest.dropFirst(count) }
        }
    }

    /// - Returns: the exit code, or 128 plus the signal that ended it; nil if it had to be killed at the deadline.
    mutating func code(until deadline: ContinuousClock.Instant) -> Int32? {
        while !hasEnded {
            guard ContinuousClock.now < deadline else {
                // With the processes that it has started.
                kill(-process, SIGKILL)
                while waitpid(process, nil, 0) < 0, errno == EINTR {}
                return nil
            }
            usleep(1000)
        }
        let status = status ?? 0
        return status & 0x7F == 0 ? status >> 8 & 0xFF : 128 + status & 0x7F
    }
}

private func spawn(
    _ path: String, _ arguments: [String], _ environment: Environment, _ input: Int32, _ errors: Int32
) throws(CommandError) -> pid_t {
    // Programs expect a pipe that waits.
    for end in [input, errors] { _ = fcntl(end, F_SETFL, 0) }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, input, 0)
    posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0)
    posix_spawn_file_actions_adddup2(&actions, errors, 2)
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    // In a process group of its own, so that Ctrl-Z stops no program that serves the clipboard. userctl ignores SIGPIPE
    // on a full screen; the program gets the usual reaction.
    var signals = sigset_t()
    sigemptyset(&signals)
    posix_spawnattr_setsigmask(&attributes, &signals)
    sigaddset(&signals, SIGPIPE)
    posix_spawnattr_setsigdefault(&attributes, &signals)
    let flags = POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK
    posix_spawnattr_setflags(&attributes, Int16(flags))
    let strings = [
        ([path] + arguments).map { strdup($0) } + [nil],
        environment.map { strdup("\($0)=\($1)") } + [nil],
    ]
    defer { for string in strings.joined() { free(string) } }
    var process = pid_t()
    let code = posix_spawn(&process, path, &actions, &attributes, strings[0], strings[1])
    guard code == 0 else { throw failure(path, code) }
    return process
}

/// What is in a pipe now. The processes that a program leaves behind may keep the pipe open.
private func text(_ descriptor: Int32) -> String {
    var bytes = [UInt8](repeating: 0, count: 4096)
    let count = read(descriptor, &bytes, bytes.count)
    return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
}

private func failure(_ what: String, _ number: Int32) -> CommandError {
    CommandError("\(what): \(String(cString: strerror(number)))", .failed)
}
