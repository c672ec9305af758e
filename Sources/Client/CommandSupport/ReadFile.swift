import Glibc

/// A regular file's bytes. Throws a `CommandError`, also if it is larger than the limit.
package func readFile(_ path: String, atMost limit: Int) throws -> [UInt8] {
    let bytes = try readBytes(of: path, atMost: limit + 1, onlyEnd: false)
    guard bytes.count <= limit else {
        throw CommandError("\(path) is larger than \(limit >> 20) MiB", .usage, advice: "name another file")
    }
    return bytes
}

/// The last bytes of a regular file. Throws a `CommandError`.
package func readEnd(of path: String, atMost limit: Int) throws -> [UInt8] {
    try readBytes(of: path, atMost: limit, onlyEnd: true)
}

/// Also true for a dangling symbolic link.
package func isThere(_ path: String) -> Bool {
    var status = stat()
    return lstat(path, &status) == 0
}

private func readBytes(of path: String, atMost limit: Int, onlyEnd: Bool) throws -> [UInt8] {
    // Without O_NONBLOCK, opening a FIFO would wait for a writer.
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
    guard descriptor >= 0 else { throw failure(path) }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw failure(path) }
    guard status.st_mode & S_IFMT == S_IFREG else {
        throw CommandError("\(path) is not a regular file", .usage, advice: "name a file")
    }
    if onlyEnd, status.st_size > limit { lseek(descriptor, status.st_size - limit, SEEK_SET) }
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 256 << 10)
    while bytes.count < limit {
        let count = read(descriptor, &chunk, min(chunk.count, limit - bytes.count))
        if count < 0, errno == EINTR { continue }
        guard count >= 0 else { throw failure(path) }
        if count == 0 { break }
        bytes += chunk[..<count]
    }
    return bytes
}

private func failure(_ path: String) -> CommandError {
    CommandError(
        "\(path) can't be read: \(String(cString: strerror(errno)))", .usage,
        advice: "check that the file exists and its permissions")
}
