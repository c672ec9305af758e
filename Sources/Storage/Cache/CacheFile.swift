import BaseDirectories
import Glibc
import SQLite

/// The cache's file and directory: for their owner alone.
enum CacheFile {
    private static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

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

    /// For those who only read, and may do so whoever it belongs to.
    static func refuseUnreadable(_ path: String) throws {
        var status = stat()
        guard stat(path, &status) == 0, access(path, R_OK) == 0 else {
            switch errno {
            case ENOENT, ENOTDIR: throw CacheError.absent(path: path)
            case EACCES:
                throw CacheError.unusable(
                    path: path, reason: "no permission to read it", advice: adviceToPermit(path))
            default:
                throw CacheError.unusable(
                    path: path, reason: message(errno), advice: "name another file with --database")
            }
        }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw CacheError.unusable(
                path: path, reason: "it is not a file", advice: "name another file with --database")
        }
    }

    private static func adviceToPermit(_ path: String) -> String {
        func isOwn(_ place: String) -> Bool {
            var status = stat()
            return stat(place, &status) == 0 && status.st_uid == geteuid()
        }
        if isOwn(path) { return "it is your own: chmod u+rw it" }
        let folder = parent(of: path)
        return isOwn(folder) && access(folder, X_OK) != 0
            ? "its folder is your own: chmod u+rwx that"
            : "each user has a cache of their own: name yours with --database"
    }

    /// The file that is open, by what tells it from all others.
    struct Identity: Sendable {
        fileprivate let path: String
        fileprivate let device: dev_t
        fileprivate let inode: ino_t

        /// Nil where there is none at that path.
        init?(_ path: String) {
            var status = stat()
            guard stat(path, &status) == 0 else { return nil }
            (self.path, device, inode) = (path, status.st_dev, status.st_ino)
        }

        /// What is written goes nowhere once the file has no name any more, and is missed where another has that.
        func refuseGone() throws {
            let now = Identity(path)
            // What can't be looked at may be there.
            guard now != nil || errno == ENOENT || errno == ENOTDIR else { return }
            guard now?.device == device, now?.inode == inode else { throw CacheError.gone(path: path) }
        }
    }

    /// A file at one moment.
    struct Version: Sendable {
        fileprivate let path: String
        fileprivate let status: stat

        /// A write-ahead log goes into the file sooner or later: before that it is of no concern.
        func refuseChanged() throws {
            var now = stat()
            guard stat(path, &now) == 0, now.st_ino == status.st_ino, now.st_size == status.st_size,
                now.st_mtim.tv_sec == status.st_mtim.tv_sec,
                now.st_mtim.tv_nsec == status.st_mtim.tv_nsec
            else {
                throw CacheError.storage("userd has written to it meanwhile")
            }
        }
    }

    /// A connection that reads a cache file.
    ///
    /// SQLite wants to have a file beside a cache with a write-ahead log, even to read it. Where nobody has made one and
    /// it can't be made, because the folder may not be written, the file is read as it stands.
    /// - Returns: with it the file as it stood then, where that is so: after each read `refuseChanged` says whether that
    ///   is to be relied on.
    static func openToRead(
        _ path: String, busyTimeout: Duration = .seconds(5)
    ) throws -> sending (connection: Connection, asFound: Version?) {
        do {
            let connection = try Connection(path: path, access: .readOnly, busyTimeout: busyTimeout)
            // What SQLite needs beside the file it looks for when it reads for the first time.
            try connection.execute("PRAGMA schema_version")
            return (connection, nil)
        } catch let error as SQLiteError where error.isCantOpen || error.isReadOnly {
            let asFound = try refuseUnfinished(path)
            return (try Connection(path: path, access: .immutable, busyTimeout: busyTimeout), asFound)
        }
    }

    /// Refuses a file of which a part is in its write-ahead log still.
    private static func refuseUnfinished(_ path: String) throws -> Version {
        var status = stat()
        stat(path, &status)
        var log = stat()
        guard stat(path + "-wal", &log) != 0 || log.st_size == 0 else {
            throw CacheError.unusable(
                path: path,
                reason:
                    "its newest rows are in \(path)-wal, which can't be read where the folder can't be written",
                advice: "copy both files to a folder of yours, and name the copy with --database")
        }
        return Version(path: path, status: status)
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
