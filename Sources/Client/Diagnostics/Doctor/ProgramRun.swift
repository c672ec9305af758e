import CommandSupport
import Glibc

/// The exit code and output of a program.
package struct ProgramRun: Hashable, Sendable {
    /// The exit code, or 128 plus the signal that ended it.
    package var code: Int32
    package var output: String
    package var errors: String

    package init(code: Int32, output: String = "", errors: String = "") {
        (self.code, self.output, self.errors) = (code, output, errors)
    }

    /// The first line of its error output that is neither blank nor a warning.
    package var complaint: String {
        errors.lines.first { !$0.allSatisfy(\.isWhitespace) && !$0.hasPrefix("userd: warning: ") }
            ?? "it ended with code \(code)"
    }
}

extension String {
    /// The lines that are not empty.
    var lines: [String] { split(separator: "\n").map(String.init) }
}

package enum ProgramRunError: Error, Hashable, Sendable, CustomStringConvertible {
    case late(Duration)
    case system(call: String, errno: Int32)

    package var description: String {
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
        do { ended = try run(path, arguments, limit) } catch { throw .refused("\(program): \(error)") }
        guard ended.code == 0 else { throw .refused(ended.complaint) }
        return ended.output
    }
}

extension ProgramRun {
    /// In bytes, per stream; the rest is dropped.
    private static let mostKept = 1 << 20

    /// Runs a program with an empty stdin; kills it after the limit.
    package static func of(
        _ path: String, _ arguments: [String], environment: [String: String], within limit: Duration
    ) throws(ProgramRunError) -> ProgramRun {
        let deadline = ContinuousClock.now + limit
        let pipes = try [outputPipe(), outputPipe()]
        defer { for pipe in pipes { close(pipe.reading) } }
        let process = try spawn(path, arguments, environment, output: pipes[0], errors: pipes[1])
        var written: [[UInt8]] = [[], []]
        var polled = pipes.map { pollfd(fd: $0.reading, events: Int16(POLLIN), revents: 0) }
        while polled.contains(where: { $0.fd >= 0 }) {
            let left = (deadline - ContinuousClock.now) / .milliseconds(1)
            guard left > 0 else { break }
            let isAwake = poll(&polled, nfds_t(polled.count), Int32(min(left.rounded(.up), 60_000))) >= 0
            guard isAwake else { continue }
            for index in polled.indices where polled[index].revents != 0 {
                let bytes = readSome(polled[index].fd)
                if bytes.isEmpty { polled[index].fd = -1 }
                written[index] += bytes.prefix(mostKept - written[index].count)
            }
        }
        // A program can close its streams and keep running.
        let hasClosed = polled.allSatisfy { $0.fd < 0 }
        guard let code = hasClosed ? wait(for: process, until: deadline) : nil else {
            kill(process, SIGKILL)
            while waitpid(process, nil, 0) < 0, errno == EINTR {}
            throw .late(limit)
        }
        return ProgramRun(
            code: code, output: String(decoding: written[0], as: UTF8.self),
            errors: String(decoding: written[1], as: UTF8.self))
    }

    /// The program that a shell would run; nil if there is none.
    package static func find(_ name: String, in path: String) -> String? {
        path.split(separator: ":").map { "\($0)/\(name)" }.first(where: isProgram)
    }

    package static func isProgram(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG && access(path, X_OK) == 0
    }
}

private func outputPipe() throws(ProgramRunError) -> Pipe {
    guard let pipe = Pipe(waits: true) else { throw .system(call: "pipe", errno: errno) }
    return pipe
}

private func spawn(
    _ path: String, _ arguments: [String], _ environment: [String: String], output: Pipe, errors: Pipe
) throws(ProgramRunError) -> pid_t {
    defer { for pipe in [output, errors] { close(pipe.writing) } }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_adddup2(&actions, output.writing, 1)
    posix_spawn_file_actions_adddup2(&actions, errors.writing, 2)
    let strings = [
        ([path] + arguments).map { strdup($0) } + [nil],
        environment.map { strdup("\($0)=\($1)") } + [nil],
    ]
    defer { for string in strings.joined() { free(string) } }
    var process = pid_t()
    let code = posix_spawn(&process, path, &actions, nil, strings[0], strings[1])
    guard code == 0 else { throw .system(call: path, errno: code) }
    return process
}

/// Reads once; empty at the end of the file.
private func readSome(_ descriptor: Int32) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: 65_536) { buffer, count in
        var got = 0
        repeat { got = read(descriptor, buffer.baseAddress, buffer.count) } while got < 0 && errno == EINTR
        count = max(0, got)
    }
}

/// - Returns: the exit code; nil if it is still running at the deadline.
private func wait(for process: pid_t, until deadline: ContinuousClock.Instant) -> Int32? {
    var status: Int32 = 0
    // Polling is enough: a program that has closed its streams is usually about to end.
    while waitpid(process, &status, WNOHANG) != process {
        guard ContinuousClock.now < deadline else { return nil }
        usleep(1000)
    }
    return status & 0x7F == 0 ? status >> 8 & 0xFF : 128 + status & 0x7F
}
