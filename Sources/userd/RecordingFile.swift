import BaseDirectories
import Foundation
import Glibc
import Logging
import Model
import ServiceLifecycle
import Services
import Settings
import UnixSignals

/// The file that exchanges with upstreams are written to. Whatever happens, it holds a whole recording, or what it held
/// before.
struct RecordingFile: Sendable {
    let recorder: Recorder
    private let path: String
    private let logger: Logger

    /// Throws a `StartError` where there would be no writing to it, or where it holds something else than a recording.
    init(
        _ path: String, _ settings: Settings, now: @escaping @Sendable () -> Timestamp,
        monotonic: @escaping @Sendable () -> Duration, logger: Logger
    ) throws {
        let path = absolute(path)
        self.path = path
        self.logger = logger
        var status = stat()
        if lstat(path, &status) == 0 {
            do {
                _ = try Recording(file: path)
            } catch {
                throw StartError(
                    description: "record: \(error); this is no recording to be replaced: name another file",
                    code: 64)
            }
        }
        do {
            try replace(path, with: nil)
        } catch {
            throw StartError(description: "record: \(path) can't be written: \(error)", code: 64)
        }
        recorder = Recorder(
            session: Recording.Session(version: version, settings: Setting.recorded(of: settings)), now: now,
            monotonic: monotonic,
            whenFull: {
                logger.warning(
                    "The recording is full: what upstreams answer from now on is not in it",
                    metadata: ["file": "\(path)"])
            })
    }

    /// All that has been recorded so far.
    func write() async {
        let (recorder, path, logger) = (recorder, path, logger)
        await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                do {
                    try replace(path, with: recorder.har())
                    logger.notice("Recording written", metadata: ["file": "\(path)"])
                } catch {
                    logger.error(
                        "The recording could not be written",
                        metadata: ["file": "\(path)", "reason": "\(error)"])
                }
                continuation.resume()
            }
        }
    }
}

/// Writes the recording at SIGUSR1.
struct RecordingService: Service, CustomStringConvertible {
    let file: RecordingFile
    let signals: UnixSignalsSequence
    var description: String { "recording" }

    func run() async throws {
        await cancelWhenGracefulShutdown {
            for await _ in signals { await file.write() }
        }
    }
}

private struct SystemError: Error, CustomStringConvertible {
    let description = String(cString: strerror(errno))
}

/// Puts a file in the place of what is there, in one step, once it is on the disk.
/// - Parameter parts: of its content; nil to try no more than whether there could be one.
private func replace(_ path: String, with parts: [[UInt8]]?) throws {
    let name = path.split(separator: "/").last ?? ""
    // Always the same: what a kill in the middle leaves there is gone with the next.
    let temporary = "\(parent(of: path))/.\(name.prefix(200)).part"
    unlink(temporary)
    let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw SystemError() }
    defer { unlink(temporary) }
    do {
        defer { close(descriptor) }
        for part in parts ?? [] { try write(part, to: descriptor) }
        if parts != nil, fsync(descriptor) != 0 { throw SystemError() }
    }
    if parts != nil, rename(temporary, path) != 0 { throw SystemError() }
}

private func write(_ bytes: [UInt8], to descriptor: Int32) throws {
    var rest = bytes[...]
    while !rest.isEmpty {
        let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
        if count < 0, errno != EINTR { throw SystemError() }
        rest = rest.dropFirst(max(count, 0))
    }
}

/// Where links lead, from where userd was started.
private func absolute(_ path: String) -> String {
    if let real = realpath(path, nil) {
        defer { free(real) }
        return String(cString: real)
    }
    return path.hasPrefix("/") ? path : FileManager.default.currentDirectoryPath + "/" + path
}
