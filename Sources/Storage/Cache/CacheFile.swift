import BaseDirectories
import Glibc
import SQLite

/// The cache's file and directory, which only their owner may access.
enum CacheFile {
    /// Creates the directory (0700) and the file (0600) if missing; refuses them if other users can write to them.
    static func prepare(_ path: String) throws {
        let directory = parent(of: path)
        try makeDirectory(directory)
        try refuseOthers(directory, kind: S_IFDIR)
        let file = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard file >= 0 || errno == EROFS || errno == EACCES else {
            let reason = errno == ELOOP ? "is a symbolic link" : "can't be opened: \(message(errno))"
            throw CacheError.unusable(path: path, reason: reason)
        }
        if file >= 0 { close(file) }
        try refuseOthers(path, kind: S_IFREG)
    }

    /// Whether the header demands a later SQLite for writing, which therefore only reads the file. No SQLite makes such
    /// files. https://www.sqlite.org/fileformat2.html#file_format_version_numbers
    static func hasUnknownFormat(_ path: String) -> Bool {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return false }
        defer { close(file) }
        var version: UInt8 = 0
        return pread(file, &version, 1, 18) == 1 && version > 2
    }

    /// For read-only use: the file may belong to another user.
    static func refuseUnreadable(_ path: String) throws {
        var status = stat()
        guard stat(path, &status) == 0, access(path, R_OK) == 0 else {
            switch errno {
            case ENOENT, ENOTDIR: throw CacheError.absent(path: path)
            case EACCES:
                throw CacheError.unusable(
                    path: path, reason: "no permission to read it", advice: adviceToPermit(path))
            default: throw CacheError.unusable(path: path, reason: message(errno))
            }
        }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw CacheError.unusable(path: path, reason: "it is not a file")
        }
    }

    private static func adviceToPermit(_ path: String) -> String {
        func isOwn(_ place: String) -> Bool {
            var status = stat()
            return stat(place, &status) == 0 && status.st_uid == geteuid()
        }
        if isOwn(path) { return "you own it: run chmod u+rw on it" }
        let folder = parent(of: path)
        return isOwn(folder) && access(folder, X_OK) != 0
            ? "you own its directory: run chmod u+rwx on that"
            : "name your own cache with --database"
    }

    /// A file's identity and state at one moment.
    struct Snapshot: Sendable {
        private let path: String
        private let status: stat
        /// SQLite keeps the log while the database is open; nil if there was none.
        private let log: stat?

        /// Nil if the file does not exist.
        init?(_ path: String) {
            var status = stat()
            guard stat(path, &status) == 0 else { return nil }
            (self.path, self.status) = (path, status)
            var log = stat()
            self.log = stat(path + "-wal", &log) == 0 ? log : nil
        }

        /// Throws `CacheError.gone` if the file was removed or replaced: writes to it would be lost.
        func refuseGone() throws {
            let now = Snapshot(path)?.status
            // A file that can't be examined may still be there.
            guard now != nil || errno == ENOENT || errno == ENOTDIR else { return }
            guard now?.st_dev == status.st_dev, now?.st_ino == status.st_ino else {
                throw CacheError.gone(path: path)
            }
        }

        /// Whether the write-ahead log was removed or replaced: other processes no longer see what is in it.
        var isWithoutLog: Bool {
            guard let log else { return false }
            var now = stat()
            guard stat(path + "-wal", &now) == 0 else { return errno == ENOENT || errno == ENOTDIR }
            return now.st_dev != log.st_dev || now.st_ino != log.st_ino
        }

        /// Changes of the write-ahead log do not count until they are copied into the file.
        func refuseChanged() throws {
            guard let now = Snapshot(path)?.status,
                now.st_ino == status.st_ino, now.st_size == status.st_size,
                now.st_mtim.tv_sec == status.st_mtim.tv_sec, now.st_mtim.tv_nsec == status.st_mtim.tv_nsec
            else {
                throw CacheError.storage("userd changed the file while it was being read")
            }
        }
    }

    /// Opens a read connection.
    ///
    /// Even to read a cache with a write-ahead log, SQLite needs a -shm file beside it. If that is missing and the
    /// directory is not writable, the file is opened as immutable.
    /// - Returns: for an immutable file also its state: call `refuseChanged` after each read.
    static func openToRead(
        _ path: String, busyTimeout: Duration = .seconds(5)
    ) throws -> sending (connection: Connection, asFound: Snapshot?) {
        do {
            let connection = try Connection(path: path, access: .readOnly, busyTimeout: busyTimeout)
            // SQLite opens the -shm file with the first read.
            try connection.execute("PRAGMA schema_version")
            return (connection, nil)
        } catch let error as SQLiteError where error.isCantOpen || error.isReadOnly {
            let asFound = Snapshot(path)
            try refuseUnfinished(path)
            return (try Connection(path: path, access: .immutable, busyTimeout: busyTimeout), asFound)
        }
    }

    /// Refuses a file whose write-ahead log is not empty.
    private static func refuseUnfinished(_ path: String) throws {
        var log = stat()
        guard stat(path + "-wal", &log) != 0 || log.st_size == 0 else {
            throw CacheError.unusable(
                path: path,
                reason:
                    "its newest rows are in \(path)-wal, which can't be read because the directory is not writable",
                advice: "copy both files to a directory of yours, and name the copy with --database")
        }
    }

    private static func makeDirectory(_ path: String) throws {
        if access(path, F_OK) == 0 { return }
        let above = parent(of: path)
        if above != path { try makeDirectory(above) }
        guard mkdir(path, 0o700) == 0 || errno == EEXIST else {
            throw CacheError.unusable(path: path, reason: "can't be created: \(message(errno))")
        }
    }

    private static func refuseOthers(_ path: String, kind: mode_t) throws {
        var status = stat()
        guard stat(path, &status) == 0 else {
            throw CacheError.unusable(path: path, reason: message(errno))
        }
        guard status.st_mode & S_IFMT == kind else {
            let wanted = kind == S_IFDIR ? "directory" : "file"
            throw CacheError.unusable(path: path, reason: "is not a \(wanted)")
        }
        // A directory such as /tmp is safe: it is root's and sticky, so other users can't replace files in it.
        let isSticky = kind == S_IFDIR && status.st_mode & S_ISVTX != 0
        guard status.st_uid == geteuid() || (isSticky && status.st_uid == 0) else {
            throw CacheError.unusable(path: path, reason: "belongs to user \(status.st_uid)")
        }
        guard status.st_mode & 0o022 == 0 || isSticky else {
            throw CacheError.unusable(
                path: path, reason: "other users can write to it",
                advice: "run chmod go-w on it, or name another file with --database")
        }
    }

    private static func message(_ code: Int32) -> String { String(cString: strerror(code)) }
}
