import Glibc
import Platform
import SQLite

/// The cache's file and directory, which only their owner may access.
enum CacheFile {
    /// Creates the directory (0700) and the file (0600) if missing; refuses them if other users can write to them.
    static func prepare(_ path: String) throws {
        let directory = parent(of: path)
        do throws(FileWriteError) { try makePrivateFolder(directory) } catch {
            throw CacheError.unusable(path: error.path, reason: "can't be created: \(error.reason)")
        }
        try refuseOthers(directory, kind: S_IFDIR)
        let file = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard file >= 0 || errno == EROFS || errno == EACCES else {
            let reason = errno == ELOOP ? "is a symbolic link" : "can't be opened: \(message(errno))"
            throw CacheError.unusable(path: path, reason: reason)
        }
        if file >= 0 { close(file) }
        try refuseOthers(path, kind: S_IFREG)
    }

    /// Whether the header demands a later SQLite for writing, so that this one only reads the file. No
    /// version of SQLite makes such files.
    /// https://www.sqlite.org/fileformat2.html#file_format_version_numbers
    static func hasUnknownFormat(_ path: String) -> Bool {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return false }
        defer { close(file) }
        var version: UInt8 = 0
        return pread(file, &version, 1, 18) == 1 && version > 2
    }

    /// Refuses a file that is no database and never was userd's cache: as a damaged cache, it would be set aside.
    static func refuseForeign(_ path: String) throws {
        guard exists(path), access(path + ".lock", F_OK) != 0 else { return }
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard file >= 0 else { return }
        defer { close(file) }
        // https://www.sqlite.org/fileformat2.html#magic_header_string
        let header = Array("SQLite format 3\0".utf8)
        var bytes = [UInt8](repeating: 0, count: header.count)
        guard pread(file, &bytes, bytes.count, 0) >= 0, bytes != header else { return }
        throw CacheError.unusable(
            path: path, reason: "is another program's file, not a cache",
            advice: "name another file with --database")
    }

    /// Whether the file exists and is not empty.
    static func exists(_ path: String) -> Bool { status(of: path).map { $0.st_size > 0 } ?? false }

    /// Nil on failure, with errno set.
    private static func status(of path: String) -> stat? {
        var status = stat()
        return stat(path, &status) == 0 ? status : nil
    }

    /// Throws if the file can't be read, as it may belong to another user.
    static func refuseUnreadable(_ path: String) throws {
        guard let status = status(of: path), access(path, R_OK) == 0 else {
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
        func isOwn(_ place: String) -> Bool { status(of: place)?.st_uid == geteuid() }
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
        /// The write-ahead log, which exists while the database is open; nil if it was missing.
        private let log: stat?

        /// Nil if the file does not exist.
        init?(_ path: String) {
            guard let status = CacheFile.status(of: path) else { return nil }
            (self.path, self.status, log) = (path, status, CacheFile.status(of: path + "-wal"))
        }

        /// Throws `CacheError.gone` if the file was removed or replaced, because writes to it would be lost.
        func refuseGone() throws {
            let now = Snapshot(path)?.status
            // A file that can't be examined may still be there.
            guard now != nil || errno == ENOENT || errno == ENOTDIR else { return }
            guard now?.st_dev == status.st_dev, now?.st_ino == status.st_ino else {
                throw CacheError.gone(path: path)
            }
        }

        /// Whether the write-ahead log was removed or replaced, so that other processes no longer see its
        /// rows.
        var isWithoutLog: Bool {
            guard let log else { return false }
            guard let now = CacheFile.status(of: path + "-wal") else {
                return errno == ENOENT || errno == ENOTDIR
            }
            return now.st_dev != log.st_dev || now.st_ino != log.st_ino
        }

        var hasLog: Bool { log != nil }

        var isUnchanged: Bool {
            guard let now = Snapshot(path) else { return false }
            return Self.areSame(status, now.status) && Self.areSame(log, now.log)
        }

        private static func areSame(_ one: stat?, _ other: stat?) -> Bool {
            one?.st_ino == other?.st_ino && one?.st_size == other?.st_size
                && one?.st_mtim.tv_sec == other?.st_mtim.tv_sec
                && one?.st_mtim.tv_nsec == other?.st_mtim.tv_nsec
        }
    }

    /// Opens a read connection.
    ///
    /// Even to read a cache with a write-ahead log, SQLite needs a -shm file next to it. If that can't be
    /// made, because the disk is full or the directory is not writable, the file is read without locks.
    /// `Connection.isUnchanged` then says whether the read is reliable.
    static func openToRead(
        _ path: String, busyTimeout: Duration = .seconds(5), vfs: String? = nil
    ) throws -> sending Connection {
        do {
            let connection = try Connection(path: path, access: .readOnly, busyTimeout: busyTimeout, vfs: vfs)
            // SQLite opens the -shm file with the first read.
            try connection.execute("PRAGMA schema_version")
            return connection
        } catch let error as SQLiteError where error.forbidsWriting && !error.isBusy {
            guard let asFound = Snapshot(path) else { throw error }
            do {
                // Otherwise SQLite would create a missing log.
                let connection = try Connection(
                    path: path, access: asFound.hasLog ? .unlocked : .immutable, busyTimeout: busyTimeout)
                try connection.execute("PRAGMA schema_version")
                connection.isUnchanged = { asFound.isUnchanged }
                return connection
            } catch let other as SQLiteError where other.forbidsWriting {
                throw error
            }
        }
    }

    /// Whether a reader must close before the writer opens the file. One without locks drops all locks of this process
    /// when it closes, and all connections share the log's index as the first of them has opened it.
    static func hindersWriter(_ reader: Connection, _ path: String) -> Bool {
        reader.isUnchanged != nil || (access(path + "-shm", W_OK) != 0 && [EROFS, EACCES].contains(errno))
    }

    private static func refuseOthers(_ path: String, kind: mode_t) throws {
        guard let status = status(of: path) else {
            throw CacheError.unusable(path: path, reason: message(errno))
        }
        guard status.st_mode & S_IFMT == kind else {
            let wanted = kind == S_IFDIR ? "directory" : "file"
            throw CacheError.unusable(path: path, reason: "is not a \(wanted)")
        }
        // A directory such as /tmp is safe: it belongs to root and is sticky, so other users can't replace
        // files in it.
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
