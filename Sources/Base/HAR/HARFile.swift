import Glibc

extension Recording {
    /// Reads a HAR file; refuses a path that is not a regular file.
    package init(file path: String) throws(HARError) {
        do {
            try self.init(har: contents(of: path, atMost: HARLimits.fileBytes))
        } catch {
            throw HARError(file: path, place: error.place, reason: error.reason)
        }
    }
}

private func contents(of path: String, atMost limit: Int) throws(HARError) -> [UInt8] {
    try opened(path) { descriptor, size throws(HARError) in
        guard size <= limit else { throw HARError(reason: "is larger than \(limit >> 20) MiB") }
        let bytes = try contents(of: descriptor, upTo: size + 1)
        // Some other program is writing, or the size was false.
        guard bytes.count <= size else { throw HARError(reason: "grows while it is read") }
        return bytes
    }
}

/// The beginning of a file, or all of it.
func contents(of path: String, upTo count: Int) throws(HARError) -> [UInt8] {
    try opened(path) { descriptor, _ throws(HARError) in try contents(of: descriptor, upTo: count) }
}

private func opened(
    _ path: String, _ body: (_ descriptor: Int32, _ size: Int) throws(HARError) -> [UInt8]
) throws(HARError) -> [UInt8] {
    // Without O_NONBLOCK, opening a FIFO would wait for a writer.
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw unreadable() }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw unreadable() }
    guard status.st_mode & S_IFMT == S_IFREG else {
        throw HARError(
            reason: status.st_mode & S_IFMT == S_IFDIR ? "is a directory" : "is not a regular file")
    }
    return try body(descriptor, Int(status.st_size))
}

private func contents(of descriptor: Int32, upTo limit: Int) throws(HARError) -> [UInt8] {
    var failure: HARError?
    let bytes = [UInt8](unsafeUninitializedCapacity: limit) { buffer, count in
        while count < buffer.count {
            let read = read(descriptor, buffer.baseAddress! + count, buffer.count - count)
            if read < 0 && errno == EINTR { continue }
            if read < 0 { failure = unreadable() }
            if read <= 0 { return }
            count += read
        }
    }
    if let failure { throw failure }
    return bytes
}

private func unreadable() -> HARError {
    HARError(reason: "cannot be read: \(String(cString: strerror(errno)))")
}
