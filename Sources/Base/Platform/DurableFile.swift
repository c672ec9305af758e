import Glibc

/// Why a file can't be written.
package struct FileWriteError: Error, Hashable, CustomStringConvertible {
    package let path: String
    /// `errno`
    package let code: Int32
    /// A call that the file system refuses; nil if the file can't be opened or written.
    package var call: String?

    /// The system's words for the code.
    package var reason: String { String(cString: strerror(code)) }

    package var description: String {
        "\(path) \(call.map { "is on a file system that refuses \($0)" } ?? "can't be written"): \(reason)"
    }
}

/// Replaces a file in one step. After a crash, it has the old content or the new one; when this returns, the new
/// one is on the disk. A link at the path is replaced, not followed.
///
/// - Parameters:
///   - temporary: the new file's name until it is complete, in the same folder. The usual one, `<path>.new`, is
///     for one writer at a time, so that crashes leave only one file. Several writers need a name each.
///   - mode: the new file's mode; nil for the umask's default.
///   - group: the new file's group; nil for the usual one. If this user may not give it, the file has the usual one, which
///     may do no more than everybody.
package func replaceDurably(
    _ path: String, with parts: [[UInt8]], temporary: String? = nil, mode: mode_t? = 0o600,
    group: gid_t? = nil
) throws(FileWriteError) {
    let temporary = temporary ?? path + ".new"
    // Left by a crash.
    unlink(temporary)
    let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode == nil ? 0o666 : 0o600)
    guard descriptor >= 0 else { throw FileWriteError(path: path, code: errno) }
    do throws(WriteError) {
        defer { close(descriptor) }
        let hasGroup = group.map { fchown(descriptor, .max, $0) == 0 } ?? true
        if let mode, fchmod(descriptor, hasGroup ? mode : mode & (mode << 3 | 0o707)) != 0 {
            throw WriteError(code: errno)
        }
        for part in parts { try writeFully(part, to: descriptor) }
        guard fsync(descriptor) == 0, rename(temporary, path) == 0 else { throw WriteError(code: errno) }
    } catch {
        unlink(temporary)
        throw FileWriteError(path: path, code: error.code)
    }
    try synchronizeFolder(of: path)
}

/// Removes a file, also from the disk. It may be missing.
package func removeDurably(_ path: String) throws(FileWriteError) {
    unlink(path + ".new")
    guard unlink(path) == 0 || errno == ENOENT else { throw FileWriteError(path: path, code: errno) }
    try synchronizeFolder(of: path)
}

/// Makes a folder that only this user may enter, and its parents.
package func makePrivateFolder(_ path: String) throws(FileWriteError) {
    var status = stat()
    if stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR { return }
    let above = parent(of: path)
    if above != path, above != "." { try makePrivateFolder(above) }
    guard mkdir(path, 0o700) == 0 || errno == EEXIST else { throw FileWriteError(path: path, code: errno) }
}

private func synchronizeFolder(of path: String) throws(FileWriteError) {
    let folder = parent(of: path)
    let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    // A folder that only lets files in can't be opened.
    if descriptor < 0, errno == EACCES { return }
    guard descriptor >= 0 else { throw FileWriteError(path: folder, code: errno) }
    defer { close(descriptor) }
    // Some filesystems have nothing to write for a folder, and say EINVAL.
    guard fsync(descriptor) == 0 || errno == EINVAL else { throw FileWriteError(path: folder, code: errno) }
}
