import Glibc

/// Writes a file whole or not at all: until all is on the disk, what was there before stays. Throws a `CommandError`.
package func writeWhole(_ bytes: [UInt8], to path: String) throws {
    // Through symbolic links, as all who write files do.
    let existing = realpath(path, nil)
    defer { free(existing) }
    let path = existing.map { String(cString: $0) } ?? path
    func failure() -> CommandError {
        CommandError(
            "\(path) can't be written: \(String(cString: strerror(errno)))", .output,
            advice: "name another file with --output")
    }

    var status = stat()
    if stat(path, &status) == 0, status.st_mode & S_IFMT != S_IFREG {
        // A pipe or a device takes the place of no file.
        let descriptor = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY)
        guard descriptor >= 0 else { throw failure() }
        defer { close(descriptor) }
        guard isatty(descriptor) == 0 else {
            throw CommandError(
                "\(path) is a terminal", .usage, advice: "name a file, or leave --output out to have it drawn"
            )
        }
        return try writeAll(bytes, to: descriptor)
    }

    let folder = path.lastIndex(of: "/").map { path[...$0] } ?? ""
    let temporary = "\(folder).userctl-\(UInt64.random(in: 0 ... .max))"
    let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
    guard descriptor >= 0 else { throw failure() }
    do {
        defer { close(descriptor) }
        try writeAll(bytes, to: descriptor)
        guard fsync(descriptor) == 0, rename(temporary, path) == 0 else { throw failure() }
    } catch {
        unlink(temporary)
        throw error
    }
}
