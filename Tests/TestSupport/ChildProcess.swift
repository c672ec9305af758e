import Foundation
import Glibc
import Synchronization

/// A running program with its output so far. The creator ends it, as `run(_:_:environment:within:)` does.
///
/// Every wait has a limit, and fails with the program's output.
package final class ChildProcess: @unchecked Sendable {
    package enum Stream: Int, Sendable { case output, errors }

    package enum Ending: Hashable, Sendable {
        case exited(Int32)
        case signalled(Int32)
    }

    package let name: String
    package let id: pid_t
    private let condition = NSCondition()
    // Guarded by `condition`.
    private var written: [[UInt8]] = [[], []]
    private var ending: Ending?

    /// - Parameter environment: the complete environment; nothing is inherited except the path for coverage.
    package init(_ executable: String, _ arguments: [String] = [], environment: [String: String]) throws {
        name = String(executable.split(separator: "/").last ?? "")
        let pipes = [try Pipe(), try Pipe()]
        defer { for pipe in pipes { close(pipe.writing) } }
        id = try spawn(executable, arguments, environment, output: pipes[0].writing, errors: pipes[1].writing)
        Thread { [self] in record(pipes.map(\.reading)) }.start()
    }

    /// Has no effect once the process has ended.
    package func send(_ signal: Int32) {
        condition.withLock { if ending == nil { _ = kill(id, signal) } }
    }

    package var hasEnded: Bool { condition.withLock { ending != nil } }

    package func bytes(_ stream: Stream) -> [UInt8] { condition.withLock { written[stream.rawValue] } }

    package func text(_ stream: Stream) -> String { String(decoding: bytes(stream), as: UTF8.self) }

    /// Waits until the process has ended and all its output has been read.
    @discardableResult
    package func ended(within limit: Duration = .seconds(600)) async throws -> Ending {
        try await wait(for: "its end", within: limit) { self.ending }
    }

    /// Waits for a complete line that contains this text.
    /// - Parameter offset: where to begin, in bytes: an earlier `bytes(_:).count`.
    @discardableResult
    package func line(
        containing text: String, in stream: Stream = .errors, from offset: Int = 0,
        within limit: Duration = .seconds(600)
    ) async throws -> String {
        try await wait(for: "“\(text)”", within: limit) {
            let bytes = self.written[stream.rawValue].dropFirst(offset)
            guard let end = bytes.lastIndex(of: UInt8(ascii: "\n")) else { return nil }
            return String(decoding: bytes[..<end], as: UTF8.self).split(separator: "\n")
                .first { $0.contains(text) }.map(String.init)
        }
    }

    private func wait<Result: Sendable>(
        for what: String, within limit: Duration, _ find: @escaping @Sendable () -> Result?
    ) async throws -> Result {
        try await onThread { [self] in
            let deadline = Date() + limit / .seconds(1)
            return try condition.withLock {
                while true {
                    if let found = find() { return found }
                    guard ending == nil, condition.wait(until: deadline) else { throw failure(what) }
                }
            }
        }
    }

    private func failure(_ what: String) -> WaitedInVain {
        WaitedInVain(
            description: """
                waited in vain for \(what) of \(name), which \(ending.map { "ended: \($0)" } ?? "still runs")
                stdout: \(String(decoding: written[0].suffix(10_000), as: UTF8.self))
                stderr: \(String(decoding: written[1].suffix(10_000), as: UTF8.self))
                """)
    }

    /// Reads both streams to their ends, then the exit status.
    private func record(_ descriptors: [Int32]) {
        var polled = descriptors.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while polled.contains(where: { $0.fd >= 0 }) {
            guard poll(&polled, nfds_t(polled.count), -1) >= 0 || errno == EINTR else { break }
            for index in polled.indices where polled[index].revents != 0 {
                let count = read(polled[index].fd, &buffer, buffer.count)
                if count > 0 {
                    condition.withLock {
                        written[index].append(contentsOf: buffer[..<count])
                        condition.broadcast()
                    }
                } else if count == 0 || errno != EINTR {
                    close(polled[index].fd)
                    polled[index].fd = -1
                }
            }
        }
        // The id is not reused before the process is waited for.
        var information = siginfo_t()
        while waitid(P_PID, id_t(id), &information, WEXITED | WNOWAIT) != 0, errno == EINTR {}
        condition.withLock {
            var status: Int32 = 0
            waitpid(id, &status, 0)
            ending = status & 0x7F == 0 ? .exited(status >> 8 & 0xFF) : .signalled(status & 0x7F)
            condition.broadcast()
        }
    }
}

package struct WaitedInVain: Error, CustomStringConvertible {
    package let description: String

    package init(description: String) { self.description = description }
}

/// The result of a finished program.
package struct Finished: Sendable {
    /// The exit code, or 128 plus the signal's number, as in shells.
    package let code: Int32
    package let output: String
    package let errors: String

    package var outputLines: [String] { output.split(separator: "\n").map(String.init) }
    package var errorLines: [String] { errors.split(separator: "\n").map(String.init) }
}

/// Runs a program to its end.
package func run(
    _ executable: String, _ arguments: [String], environment: [String: String],
    within limit: Duration = .seconds(600)
) async throws -> Finished {
    let process = try ChildProcess(executable, arguments, environment: environment)
    defer { process.send(SIGKILL) }
    let code: Int32 =
        switch try await process.ended(within: limit) {
        case .exited(let code): code
        case .signalled(let signal): 128 + signal
        }
    return Finished(code: code, output: process.text(.output), errors: process.text(.errors))
}

/// `posix_spawn_file_actions_addclosefrom_np` of glibc 2.34, which Swift does not import. NIO's sockets are
/// inheritable: a child would keep connections open that the test has closed.
private let closeFrom = unsafeBitCast(
    dlsym(nil, "posix_spawn_file_actions_addclosefrom_np"),
    to: (@convention(c) (UnsafeMutablePointer<posix_spawn_file_actions_t>, Int32) -> Int32).self)

private struct Pipe {
    let reading: Int32
    let writing: Int32

    init() throws {
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else { throw POSIXError(.EMFILE) }
        (reading, writing) = (ends[0], ends[1])
    }
}

private let started = Atomic(0)

/// A separate profile for each program: inside a PID namespace, process numbers are not unique.
private func coverage() -> [String: String] {
    guard let pattern = ProcessInfo.processInfo.environment["LLVM_PROFILE_FILE"] else { return [:] }
    let number = started.add(1, ordering: .relaxed).newValue
    return ["LLVM_PROFILE_FILE": pattern.replacing("%p", with: "\(getpid())-\(number)-%p")]
}

private func spawn(
    _ executable: String, _ arguments: [String], _ environment: [String: String], output: Int32, errors: Int32
) throws -> pid_t {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_adddup2(&actions, output, 1)
    posix_spawn_file_actions_adddup2(&actions, errors, 2)
    _ = closeFrom(&actions, 3)

    // Test threads block signals that the program needs, and the test ignores some.
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var signals = sigset_t()
    sigemptyset(&signals)
    posix_spawnattr_setsigmask(&attributes, &signals)
    sigfillset(&signals)
    posix_spawnattr_setsigdefault(&attributes, &signals)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))

    let strings = [
        ([executable] + arguments).map { strdup($0) } + [nil],
        environment.merging(coverage()) { $1 }.map { strdup("\($0)=\($1)") } + [nil],
    ]
    defer { for string in strings.joined() { free(string) } }
    var id = pid_t()
    let code = posix_spawn(&id, executable, &actions, &attributes, strings[0], strings[1])
    guard code == 0 else {
        throw WaitedInVain(description: "\(executable) can't be started: \(String(cString: strerror(code)))")
    }
    return id
}
