import Glibc

/// A file, or its beginning or end, read into memory.
package struct RegularFile {
    package let bytes: [UInt8]
    /// The permission bits.
    package let mode: mode_t

    /// - Parameters:
    ///   - limit: maximum number of bytes to read; the file may have more.
    ///   - fromEnd: reads the last bytes instead of the first, if the file has more.
    package init(_ path: String, upTo limit: Int, fromEnd: Bool = false) throws(FileError) {
        // Without O_NONBLOCK, opening a FIFO would wait for a writer.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard descriptor >= 0 else { throw FileError(code: errno) }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw FileError(code: errno) }
        let kind = status.st_mode & S_IFMT
        guard kind == S_IFREG else { throw FileError(code: kind == S_IFDIR ? EISDIR : EINVAL) }
        mode = status.st_mode & 0o7777
        if fromEnd, status.st_size > limit { lseek(descriptor, status.st_size - limit, SEEK_SET) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: min(limit, 1 << 20))
        while bytes.count < limit {
            let count = read(descriptor, &chunk, min(chunk.count, limit - bytes.count))
            if count < 0 && errno == EINTR { continue }
            guard count >= 0 else { throw FileError(code: errno) }
            if count == 0 { break }
            bytes += chunk[..<count]
        }
        self.bytes = bytes
    }
}

/// Why a file can't be read.
package struct FileError: Error, CustomStringConvertible {
    /// `errno`; `EINVAL` if it is neither a file nor a directory.
    let code: CInt

    package var isMissing: Bool { code == ENOENT || code == ENOTDIR }

    /// The reason, to follow the path in a sentence.
    package var description: String {
        switch code {
        case EISDIR: "is a directory"
        case EINVAL: "is not a regular file"
        default: "cannot be read: \(String(cString: strerror(code)))"
        }
    }
}

extension Collection<UInt8> {
    /// The text after a byte order mark, which editors of Windows put before UTF-8.
    package var withoutByteOrderMark: SubSequence {
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        return starts(with: mark) ? dropFirst(mark.count) : self[...]
    }
}
