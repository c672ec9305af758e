import BaseDirectories
import Dispatch
import FoundationEssentials
import Glibc
import HAR
import Logging
import Model
import ServiceLifecycle
import Services
import Settings

/// The file that exchanges with upstreams are written to. Whatever happens, it holds a whole recording, or what it held
/// before.
struct RecordingFile: Sendable {
    let recorder: Recorder
    private let path: String
    private let logger: Logger
    private let announcements: Announcements
    /// One write at a time.
    fileprivate let queue = DispatchQueue(label: "recording")

    /// Throws a `StartError` where there would be no writing to it, or where it holds something else than a recording.
    init(
        _ path: String, _ settings: Settings, _ token: OwnToken,
        now: @escaping @Sendable () -> Timestamp, monotonic: @escaping @Sendable () -> Duration,
        announcements: Announcements, logger: Logger
    ) throws {
        let path = absolute(path)
        self.path = path
        self.logger = logger
        self.announcements = announcements
        let own = [settings.socket, settings.database].compactMap(\.self).map(absolute)
        // Beside the cache are its log and its lock.
        guard !own.contains(where: { path == $0 || path.hasPrefix($0 + "-") || path.hasPrefix($0 + ".") })
        else {
            throw StartError(
                description: "record: \(path) is userd's own socket or cache: name another file", code: 64)
        }
        do {
            try refuseToReplace(path)
        } catch {
            throw StartError(description: "record: \(error)", code: 64)
        }
        do {
            try replace(path, with: nil)
        } catch {
            throw StartError(description: "record: \(path) can't be written: \(error)", code: 64)
        }
        var session = Recording.Session(version: version, settings: Setting.recorded(of: settings))
        session.isRaw = settings.recordRaw
        recorder = Recorder(
            session: session, token: token, now: now, monotonic: monotonic,
            whenFull: {
                logger.warning(
                    "The recording is full: what upstreams answer from now on is not in it",
                    metadata: ["file": "\(path)"])
            })
    }

    /// All that has been recorded so far, once a write that is under way has ended. Throws an `EndError` where it could not be
    /// written.
    func write() async throws {
        let failure = await withCheckedContinuation { continuation in
            queue.async { continuation.resume(returning: writeNow()) }
        }
        if let failure { throw EndError(description: failure, code: 74) }
    }

    /// - Returns: why not, where it could not be written.
    @discardableResult
    fileprivate func writeNow() -> String? {
        // That of a session before, in which something happened, is worth more than none.
        if recorder.isEmpty, access(path, F_OK) == 0 {
            logger.notice(
                "Nothing has been recorded: the recording of before stays", metadata: ["file": "\(path)"])
            return nil
        }
        do {
            // It may have been put there meanwhile.
            try refuseToReplace(path)
            try replace(path, with: recorder.har())
            logger.notice("Recording written", metadata: ["file": "\(path)"])
            announcements.recorded(failure: nil)
            return nil
        } catch {
            logger.error(
                "The recording could not be written", metadata: ["file": "\(path)", "reason": "\(error)"])
            let failure = "the recording \(path) could not be written: \(error)"
            announcements.recorded(failure: failure)
            return failure
        }
    }
}

/// Writes the recording at SIGUSR1: once for all signals that come while it is written. At the end none is begun, and none
/// is waited for: `RecordingFile.write` does that.
struct RecordingService: Service, CustomStringConvertible {
    // Dispatch's own objects may be used from any thread, which it doesn't declare on Linux.
    nonisolated(unsafe) private let signals: any DispatchSourceSignal
    let description = "recording"

    init(_ file: RecordingFile) {
        signals = DispatchSource.makeSignalSource(signal: SIGUSR1, queue: file.queue)
        signals.setEventHandler { file.writeNow() }
        signals.activate()
    }

    func run() async throws {
        defer { signals.cancel() }
        try await gracefulShutdown()
    }
}

private struct Foreign: Error, CustomStringConvertible {
    let description: String
}

/// Throws where there is something else than a recording.
private func refuseToReplace(_ path: String) throws {
    var status = stat()
    guard lstat(path, &status) == 0 else { return }
    do {
        try Recording.lookAtBeginning(of: path)
    } catch {
        throw Foreign(description: "\(error); this is no recording to be replaced: name another file")
    }
}

private struct SystemError: Error, CustomStringConvertible {
    let description = String(cString: strerror(errno))
}

/// `O_TMPFILE` (open(2)), a macro that Swift doesn't import.
private let nameless = 0o20_000_000 | O_DIRECTORY

/// Puts a file in the place of what is there, in one step, once it is on the disk.
/// - Parameter parts: of its content; nil to try no more than whether there could be one.
private func replace(_ path: String, with parts: [[UInt8]]?) throws {
    let folder = parent(of: path)
    // Nobody else's, of however many userds. One without a name is gone with a kill.
    let temporary = "\(folder)/.userd-\(UInt64.random(in: 0 ... .max)).part"
    var descriptor = open(folder, O_WRONLY | nameless | O_CLOEXEC, 0o600)
    let hasName = descriptor < 0
    // Not every file system has such.
    if hasName { descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600) }
    guard descriptor >= 0 else { throw SystemError() }
    defer { close(descriptor) }
    var isLeft = hasName
    defer { if isLeft { unlink(temporary) } }
    guard let parts else { return }
    for part in parts { try write(part, to: descriptor) }
    guard fsync(descriptor) == 0 else { throw SystemError() }
    if !hasName {
        let file = "/proc/self/fd/\(descriptor)"
        guard linkat(AT_FDCWD, file, AT_FDCWD, temporary, AT_SYMLINK_FOLLOW) == 0 else { throw SystemError() }
        isLeft = true
    }
    guard rename(temporary, path) == 0 else { throw SystemError() }
    isLeft = false
}

private func write(_ bytes: [UInt8], to descriptor: Int32) throws {
    var rest = bytes[...]
    while !rest.isEmpty {
        let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
        if count < 0, errno != EINTR { throw SystemError() }
        rest = rest.dropFirst(max(count, 0))
    }
}

/// Where links lead, whether there is anything yet or not, from where userd was started.
private func absolute(_ path: String) -> String {
    var path = path.hasPrefix("/") ? path : FileManager.default.currentDirectoryPath + "/" + path
    // As many as the kernel follows (path_resolution(7)).
    for _ in 0..<40 {
        guard let target = try? FileManager.default.destinationOfSymbolicLink(atPath: path) else { break }
        path = target.hasPrefix("/") ? target : parent(of: path) + "/" + target
    }
    return path
}
