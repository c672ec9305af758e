import Glibc

struct SmallFile {
    let bytes: [UInt8]
    let mode: mode_t

    /// Reads no more than `limit` bytes, whatever there is; nil where there is no such file.
    init?(_ path: String, atMost limit: Int) throws(SettingsError) {
        // Without O_NONBLOCK, opening a FIFO would wait for somebody to write.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else {
            guard errno == ENOENT || errno == ENOTDIR else { throw Self.failure(path) }
            var status = stat()
            if lstat(path, &status) == 0 {
                throw SettingsError(
                    path.visible, "is a link to something that is not there, or can't be seen in a sandbox")
            }
            return nil
        }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw Self.failure(path) }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw SettingsError(path.visible, "is not a regular file")
        }
        mode = status.st_mode & 0o7777

        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 64 << 10)
        while bytes.count < limit {
            let count = Glibc.read(descriptor, &chunk, min(chunk.count, limit - bytes.count))
            if count < 0 && errno == EINTR { continue }
            guard count >= 0 else { throw Self.failure(path) }
            if count == 0 { break }
            bytes += chunk[..<count]
        }
        self.bytes = bytes
    }

    private static func failure(_ path: String) -> SettingsError {
        SettingsError(path.visible, "cannot be read: \(String(cString: strerror(errno)))")
    }
}
