import Glibc

/// Why a file can't be written.
package struct FileWriteError: Error, Hashable, CustomStringConvertible {
    package let path: String
    /// `errno`
    package let code: Int32
    /// A call that the file system refuses; nil if the file can't be opened or written.
    package var call: String?

    package var description: String {
        "\(path) \(call.map { "is on a file system that refuses \($0)" } ?? "can't be written"): "
            + String(cString: strerror(code))
    }
}

/// Replaces a file that only this user may read. After a crash, it has the old bytes or the new ones; when
/// this returns, the new ones are on the disk.
///
/// One writer at a time: the temporary file, `<path>.new`, has always the same name, so that crashes leave
/// only one. Several writers need a name each.
package func replaceDurably(
    _ path: String, with bytes: [UInt8], temporary: String? = nil
) throws(FileWriteError) {
    let temporary = temporary ?? path + ".new"
    let descriptor = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw FileWriteError(path: path, code: errno) }
    var code: Int32 = fchmod(descriptor, 0o600) == 0 ? 0 : errno
    if code == 0 { code = writeAll(bytes, to: descriptor) }
    if code == 0, fsync(descriptor) != 0 { code = errno }
    close(descriptor)
    if code == 0, rename(temporary, path) != 0 { code = errno }
    guard code == 0 else {
        unlink(temporary)
        throw FileWriteError(path: path, code: code)
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
    guard descriptor >= 0 else { throw FileWriteError(path: folder, code: errno) }
    defer { close(descriptor) }
    // Some filesystems have nothing to write for a folder, and say EINVAL.
    guard fsync(descriptor) == 0 || errno == EINVAL else { throw FileWriteError(path: folder, code: errno) }
}

/// Returns an errno; 0 on success.
private func writeAll(_ bytes: [UInt8], to descriptor: Int32) -> Int32 {
    var rest = bytes[...]
    while !rest.isEmpty {
        let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
        if count < 0 && errno == EINTR { continue }
        guard count >= 0 else { return errno }
        rest = rest.dropFirst(count)
    }
    return 0
}
