import Glibc

/// The cache's file and directory: for their owner alone.
enum CacheFile {
    static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

    /// Makes the directory (0700) and the file (0600) where they are missing; refuses what others could write to.
    static func prepare(_ path: String) throws {
        let directory = parent(of: path)
        try makeDirectory(directory)
        try refuseOthers(directory, kind: S_IFDIR)
        let file = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard file >= 0 || errno == EROFS || errno == EACCES else {
            let reason = errno == ELOOP ? "is a symbolic link" : "can't be opened: \(message(errno))"
            throw CacheError.unusable(path: path, reason: reason, advice: "name another file with --database")
        }
        if file >= 0 { close(file) }
        try refuseOthers(path, kind: S_IFREG)
    }

    static func parent(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    private static func makeDirectory(_ path: String) throws {
        if exists(path) { return }
        let above = parent(of: path)
        if above != path { try makeDirectory(above) }
        guard mkdir(path, 0o700) == 0 || errno == EEXIST else {
            throw CacheError.unusable(
                path: path, reason: "can't be made: \(message(errno))",
                advice: "name another file with --database")
        }
    }

    private static func refuseOthers(_ path: String, kind: mode_t) throws {
        var status = stat()
        guard stat(path, &status) == 0 else {
            throw CacheError.unusable(
                path: path, reason: message(errno), advice: "name another file with --database")
        }
        guard status.st_mode & S_IFMT == kind else {
            throw CacheError.unusable(
                path: path, reason: "is not a \(kind == S_IFDIR ? "directory" : "file")",
                advice: "name another file with --database")
        }
        // A shared directory such as /tmp lets nobody replace another's files: it is root's, and sticky.
        let isSticky = kind == S_IFDIR && status.st_mode & S_ISVTX != 0
        guard status.st_uid == geteuid() || (isSticky && status.st_uid == 0) else {
            throw CacheError.unusable(
                path: path, reason: "belongs to user \(status.st_uid)",
                advice: "name another file with --database")
        }
        guard status.st_mode & 0o022 == 0 || isSticky else {
            throw CacheError.unusable(
                path: path, reason: "others may write to it",
                advice: "chmod go-w it, or name another file with --database")
        }
    }

    private static func message(_ code: Int32) -> String { String(cString: strerror(code)) }
}
