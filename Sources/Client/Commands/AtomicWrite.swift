import CommandSupport
import Glibc

/// Writes a file atomically: the old content stays until the new one is on the disk. Throws a `CommandError`.
///
/// - Parameter isPrivate: gives the file mode 0600.
package func writeAtomically(_ bytes: [UInt8], to path: String, isPrivate: Bool = false) throws {
    guard !path.isEmpty else {
        throw CommandError(
            "the file's name is empty", .usage, advice: "name a file, or - for standard output")
    }
    let target = try linked(path)
    var status = stat()
    let isThere = stat(path, &status) == 0
    if isThere, status.st_mode & S_IFMT != S_IFREG { return try writeThrough(bytes, to: path) }
    guard isThere || errno == ENOENT else { throw failure(path) }
    try blockingSignals {
        // An existing file keeps its mode.
        let mode = isThere ? status.st_mode & 0o777 : nil
        try replace(target, with: bytes, mode: isPrivate ? 0o600 : mode)
    }
}

/// Runs the body with SIGINT, SIGTERM and SIGHUP blocked, so that no temporary file is left behind.
package func blockingSignals<T>(_ body: () throws -> T) rethrows -> T {
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
    guard descriptor >= 0 else { throw failure(path) }
    defer { close(descriptor) }
    guard isatty(descriptor) == 0 else {
        throw CommandError(
            "\(path) is a terminal", .usage, advice: "name a file, or leave out --output to draw it")
    }
    try writeAll(bytes, to: descriptor)
}

/// - Parameter mode: nil for the umask's default.
private func replace(_ path: String, with bytes: [UInt8], mode: mode_t?) throws {
    let temporary = "\(folder(of: path)).userctl-\(UInt64.random(in: 0 ... .max))"
    let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode == nil ? 0o666 : 0o600)
    guard descriptor >= 0 else { throw failure(path) }
    do {
        defer { close(descriptor) }
        try writeAll(bytes, to: descriptor)
        if let mode, fchmod(descriptor, mode) != 0 { throw failure(path) }
        guard fsync(descriptor) == 0, rename(temporary, path) == 0 else { throw failure(path) }
    } catch {
        unlink(temporary)
        throw error
    }
}

/// The target of symbolic links, which may not exist yet. Links of other users are refused: in a folder that
/// everyone can write to, they could choose which file is overwritten.
private func linked(_ named: String) throws -> String {
    var path = named
    // The kernel's limit: path_resolution(7).
    for _ in 0...40 {
        guard let target = target(of: path) else { return path }
        var status = stat()
        if lstat(path, &status) == 0, ![0, geteuid()].contains(status.st_uid) {
            throw CommandError(
                "\(named) can't be written: the link \(path) belongs to user \(status.st_uid)", .output,
                advice: "name another file")
        }
        path = target.hasPrefix("/") ? target : folder(of: path) + target
    }
    errno = ELOOP
    throw failure(named)
}

/// Nil if the path is not a symbolic link.
private func target(of path: String) -> String? {
    var target = [CChar](repeating: 0, count: Int(PATH_MAX))
    let length = readlink(path, &target, target.count)
    return length < 0 ? nil : String(decoding: target[..<length].map(UInt8.init(bitPattern:)), as: UTF8.self)
}

/// The folder with a trailing slash; empty if the path has none.
private func folder(of path: String) -> Substring {
    path.lastIndex(of: "/").map { path[...$0] } ?? ""
}

private func failure(_ path: String) -> CommandError {
    let reason = errno
    if reason == ENOENT, let target = try? linked(path),
        case let folder = folder(of: target).dropLast(), !folder.isEmpty
    {
        return CommandError(
            "\(path) can't be written: the folder \(folder) does not exist", .output,
            advice: "create the folder, or name another file")
    }
    return CommandError(
        "\(path) can't be written: \(String(cString: strerror(reason)))", .output,
        advice: "name another file")
}
