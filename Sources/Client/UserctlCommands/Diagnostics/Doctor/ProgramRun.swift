import Glibc

struct ProgramRun: Hashable, Sendable {
    /// The exit code, or 128 plus the signal that ended it.
    var code: Int32
    var output = ""
    var errors = ""

    /// The first line of its error output that is neither blank nor a warning.
    var complaint: String {
        errors.lines.first { !$0.allSatisfy(\.isWhitespace) && !$0.hasPrefix("userd: warning: ") }
            ?? "it ended with code \(code)"
    }
}

extension String {
    var lines: [String] { split(separator: "\n").map(String.init) }
}

enum ProgramRunError: Error, Hashable, Sendable, CustomStringConvertible {
    case late(Duration)
    case system(call: String, errno: Int32)

    var description: String {
        switch self {
        case .late(let limit): "it did not end within \(limit)"
        case .system(let call, let number): "\(call): \(String(cString: strerror(number)))"
        }
    }
}

/// The reason why a program gave no answer.
enum ProgramFailure: Error {
    case missing(program: String)
    /// With the program's message.
    case refused(String)

    var reason: String {
        switch self {
        case .missing(let program): "\(program) is not installed"
        case .refused(let reason): reason
        }
    }
}

extension DoctorProbes {
    func output(
        of program: String, _ arguments: [String], within limit: Duration
    ) throws(ProgramFailure) -> String {
        guard let path = find(program) else { throw .missing(program: program) }
        let ended: ProgramRun
        do { ended = try run(path, arguments, [], limit) } catch { throw .refused("\(program): \(error)") }
        guard ended.code == 0 else { throw .refused(ended.complaint) }
        return ended.output
    }
}

extension ProgramRun {
    /// In bytes, per stream; the rest is dropped.
    private static let mostKept = 1 << 20

    /// Runs a program, without a shell, and waits until it ends, but not for processes that it leaves behind: `xclip`
    /// serves the clipboard in the background. Kills it after the limit.
    ///
    /// - Parameter isApart: gives it a process group of its own, so that Ctrl-C and Ctrl-Z don't reach it.
    static func of(
        _ path: String, _ arguments: [String], input: [UInt8] = [], environment: [String: String],
        isApart: Bool = false, within limit: Duration
    ) throws(ProgramRunError) -> ProgramRun {
        let deadline = ContinuousClock.now + limit
        let pipes = try [newPipe(), newPipe(), newPipe()]
        // The reading end of the input stays open here: without it, a program that reads nothing causes a SIGPIPE.
        defer { for end in [pipes[0].reading, pipes[1].reading, pipes[2].reading] { close(end) } }
        var polled = [pollfd(fd: pipes[0].writing, events: Int16(POLLOUT), revents: 0)]
        polled += pipes[1...].map { pollfd(fd: $0.reading, events: Int16(POLLIN), revents: 0) }
        defer { if polled[0].fd >= 0 { close(polled[0].fd) } }
        let process = try spawn(path, arguments, environment, pipes, isApart: isApart)
        var (rest, written) = (input[...], [[UInt8](), []])
        var (status, hasEnded): (Int32, Bool) = (0, false)
        while !hasEnded {
            guard ContinuousClock.now < deadline else {
                kill(isApart ? -process : process, SIGKILL)
                while waitpid(process, nil, 0) < 0, errno == EINTR {}
                throw .late(limit)
            }
            // A program that has closed its streams is usually about to end.
            let pause: Int32 = polled[1...].allSatisfy { $0.fd < 0 } ? 1 : 10
            hasEnded = waitpid(process, &status, WNOHANG) == process
            guard poll(&polled, nfds_t(polled.count), hasEnded ? 0 : pause) >= 0 else { continue }
            if polled[0].revents != 0 { write(&rest, to: &polled[0]) }
            for index in 1...2 where polled[index].revents != 0 {
                var bytes: [UInt8]
                // After the end, all that is left is read.
                repeat {
                    bytes = readSome(polled[index].fd)
                    written[index - 1] += bytes.prefix(mostKept - written[index - 1].count)
                } while hasEnded && !bytes.isEmpty && written[index - 1].count < mostKept
                if bytes.isEmpty { polled[index].fd = -1 }
            }
        }
        return ProgramRun(
            code: status & 0x7F == 0 ? status >> 8 & 0xFF : 128 + status & 0x7F,
            output: String(decoding: written[0], as: UTF8.self),
            errors: String(decoding: written[1], as: UTF8.self))
    }

    /// The program that a shell would run; nil if there is none.
    static func find(_ name: String, in path: String) -> String? {
        path.split(separator: ":").map { "\($0)/\(name)" }.first(where: isProgram)
    }

    static func isProgram(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG && access(path, X_OK) == 0
    }
}

private func newPipe() throws(ProgramRunError) -> Pipe {
    guard let pipe = Pipe(waits: false) else { throw .system(call: "pipe", errno: errno) }
    return pipe
}

/// - Parameter pipes: for its standard input, output and errors. Closes the ends that only the program uses.
private func spawn(
    _ path: String, _ arguments: [String], _ environment: [String: String], _ pipes: [Pipe], isApart: Bool
) throws(ProgramRunError) -> pid_t {
    defer { for pipe in pipes[1...] { close(pipe.writing) } }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    for (stream, end) in [pipes[0].reading, pipes[1].writing, pipes[2].writing].enumerated() {
        // Programs expect streams that wait.
        _ = fcntl(end, F_SETFL, 0)
        posix_spawn_file_actions_adddup2(&actions, end, Int32(stream))
    }
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var signals = sigset_t()
    sigemptyset(&signals)
    posix_spawnattr_setsigmask(&attributes, &signals)
    let flags = POSIX_SPAWN_SETSIGMASK | (isApart ? POSIX_SPAWN_SETPGROUP : 0)
    posix_spawnattr_setflags(&attributes, Int16(flags))
    let strings = [
        ([path] + arguments).map { strdup($0) } + [nil],
        environment.map { strdup("\($0)=\($1)") } + [nil],
    ]
    defer { for string in strings.joined() { free(string) } }
    var process = pid_t()
    let code = posix_spawn(&process, path, &actions, &attributes, strings[0], strings[1])
    guard code == 0 else { throw .system(call: path, errno: code) }
    return process
}

/// Writes once, and closes the pipe after the last byte.
private func write(_ rest: inout ArraySlice<UInt8>, to polled: inout pollfd) {
    let count = rest.withUnsafeBytes { Glibc.write(polled.fd, $0.baseAddress, $0.count) }
    rest = rest.dropFirst(max(0, count))
    guard rest.isEmpty else { return }
    close(polled.fd)
    polled.fd = -1
}

/// Reads once, as much as a pipe holds; empty at the end of the file.
private func readSome(_ descriptor: Int32) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: 65_536) { buffer, count in
        var got = 0
        repeat { got = read(descriptor, buffer.baseAddress, buffer.count) } while got < 0 && errno == EINTR
        count = max(0, got)
    }
}
