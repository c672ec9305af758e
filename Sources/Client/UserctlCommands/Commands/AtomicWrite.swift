import Glibc
import Platform

/// Writes a file atomically: the old content stays until the new one is on the disk. Throws a `CommandError`.
///
/// - Parameter isPrivate: gives the file mode 0600.
func writeAtomically(_ bytes: [UInt8], to path: String, isPrivate: Bool = false) throws {
    guard !path.isEmpty else {
        throw CommandError(
            "the file's name is empty", .usage, advice: "name a file, or - for standard output")
    }
    let target = try linked(path)
    var status = stat()
    let isThere = stat(path, &status) == 0
    if isThere, status.st_mode & S_IFMT != S_IFREG { return try writeThrough(bytes, to: path) }
    guard isThere || errno == ENOENT else { throw failure(path, errno) }
    // An existing file keeps its mode and group.
    let mode = isThere ? status.st_mode & 0o777 : nil
    try blockingSignals {
        do throws(FileWriteError) {
            try replaceDurably(
                target, with: [bytes],
                temporary: "\(parent(of: target))/.userctl-\(UInt64.random(in: 0 ... .max))",
                mode: isPrivate ? 0o600 : mode, group: isThere ? status.st_gid : nil)
        } catch { throw failure(target, error.code) }
    }
}

/// Runs the body with SIGINT, SIGTERM and SIGHUP blocked, so that no temporary file is left behind.
func blockingSignals<T>(_ body: () throws -> T) rethrows -> T {
    var (held, before) = (sigset_t(), sigset_t())
    sigemptyset(&held)
    for signal in [SIGINT, SIGTERM, SIGHUP] { sigaddset(&held, signal) }
    pthread_sigmask(SIG_BLOCK, &held, &before)
    defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
    return try body()
}

/// Writes to a pipe or device, which can't be replaced.
private func writeThrough(_ bytes: [UInt8], to path: String) throws {
    let descriptor = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY)
    guard descriptor >= 0 else { throw failure(path, errno) }
    defer { close(descriptor) }
    guard isatty(descriptor) == 0 else {
        throw CommandError(
            "\(path) is a terminal", .usage, advice: "name a file, or leave out --output to draw it")
    }
    try writeAll(bytes, to: descriptor)
}

/// The target of symbolic links, which may not exist yet. Links of other users are refused: in a folder that
/// everyone can write to, they could choose which file is overwritten.
private func linked(_ named: String) throws -> String {
    var path = named
    // The kernel's limit: path_resolution(7).
    for _ in 0...40 {
        guard let target = linkTarget(of: path) else { return path }
        var status = stat()
        if lstat(path, &status) == 0, ![0, geteuid()].contains(status.st_uid) {
            throw CommandError(
                "\(named) can't be written: the link \(path) belongs to user \(status.st_uid)", .output,
                advice: "name another file")
        }
        path = target.hasPrefix("/") ? target : "\(parent(of: path))/\(target)"
    }
    throw failure(named, ELOOP)
}

private func failure(_ path: String, _ code: Int32) -> CommandError {
    if code == ENOENT {
        return CommandError(
            "\(path) can't be written: the folder \(parent(of: path)) does not exist", .output,
            advice: "create the folder, or name another file")
    }
    let isFull = [ENOSPC, EDQUOT].contains(code)
    return CommandError(
        "\(path) can't be written: \(String(cString: strerror(code)))", .output,
        advice: isFull ? "make room there, or name another file" : "name another file")
}
