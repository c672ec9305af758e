import Dispatch
import FoundationEssentials
import Glibc
import HTTP
import Logging
import Model
import Platform
import Sync

/// The file of recorded exchanges with upstreams. At any time it holds a whole recording or its former
/// content.
struct RecordingFile: Sendable {
    let recorder: Recorder
    private let path: String
    private let logger: Logger
    private let announcements: Announcements
    /// A write may block for long.
    private let queue = DispatchQueue(label: "recording")

    /// Throws `ExitError` if the file can't be written, or is not a recording.
    init(
        _ path: String, _ settings: Settings, _ redactor: SecretRedactor, _ environment: EngineEnvironment,
        _ announcements: Announcements, _ logger: Logger
    ) throws {
        let path = absolute(path)
        self.path = path
        self.logger = logger
        self.announcements = announcements
        let own = [settings.socket, settings.database].compactMap(\.self).map(absolute)
        // Beside the cache are its log and its lock.
        guard !own.contains(where: { path == $0 || path.hasPrefix($0 + "-") || path.hasPrefix($0 + ".") })
        else {
            throw ExitError(
                description: "record: \(path) is userd's own socket or cache: name another file", code: 64)
        }
        do {
            try refuseToReplace(path)
        } catch {
            throw ExitError(description: "record: \(error)", code: 64)
        }
        guard access(parent(of: path) + "/.", W_OK | X_OK) == 0 else {
            let reason = String(cString: strerror(errno))
            throw ExitError(description: "record: \(path) can't be written: \(reason)", code: 64)
        }
        var session = Recording.Session(version: version, settings: Setting.recorded(of: settings))
        session.isRaw = settings.recordRaw
        recorder = Recorder(
            session: session, redactor: redactor, now: environment.now, monotonic: environment.monotonic,
            whenFull: {
                logger.warning(
                    "The recording is full; later answers are not recorded",
                    metadata: ["file": "\(path)"])
            })
    }

    /// Writes the recording, after a write that is under way. Throws `ExitError` on failure.
    func write() async throws {
        let failure = await withCheckedContinuation { continuation in
            queue.async { continuation.resume(returning: writeNow()) }
        }
        if let failure { throw ExitError(description: failure, code: 74) }
    }

    /// - Returns: the reason of a failure.
    private func writeNow() -> String? {
        // The recording of an earlier session is worth more than an empty one.
        if recorder.isEmpty, access(path, F_OK) == 0 {
            logger.notice(
                "Nothing has been recorded; the earlier recording is kept", metadata: ["file": "\(path)"])
            return nil
        }
        do {
            // The file may have been replaced meanwhile.
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

/// Throws if the file exists and is not a recording.
private func refuseToReplace(_ path: String) throws {
    var status = stat()
    guard lstat(path, &status) == 0 else { return }
    do {
        try Recording.lookAtBeginning(of: path)
    } catch {
        throw ExitError(description: "\(error); userd replaces only recordings; name another file")
    }
}

private func replace(_ path: String, with parts: [[UInt8]]) throws {
    // Unique among all userds.
    let temporary = "\(parent(of: path))/.userd-\(UInt64.random(in: 0 ... .max)).part"
    do throws(FileWriteError) { try replaceDurably(path, with: parts, temporary: temporary) } catch {
        throw ExitError(description: error.reason)
    }
}

/// The absolute path with links resolved, whether the file exists or not.
private func absolute(_ path: String) -> String {
    var path = path.hasPrefix("/") ? path : FileManager.default.currentDirectoryPath + "/" + path
    // As many as the kernel follows (path_resolution(7)).
    for _ in 0..<40 {
        guard let target = linkTarget(of: path) else { break }
        path = target.hasPrefix("/") ? target : parent(of: path) + "/" + target
    }
    return path
}
