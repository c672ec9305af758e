import Glibc
import Platform
import Varlink

struct SocketFile: Sendable {
    /// Bound, not listening yet. The listener closes it.
    let descriptor: Int32
    private let path: UnixSocketPath
    private let device: dev_t
    private let inode: ino_t
    private let claim: DirectoryLock

    /// Creates the directory (0700) if missing, replaces a dead socket, and binds a new one (0600).
    ///
    /// A lock on the directory keeps two servers that start together from taking each other's new socket for
    /// a dead one. Call `listening` once connections are accepted; it releases the lock.
    init(claiming path: String) throws(ListenError) {
        guard let socketPath = UnixSocketPath(path) else { throw .badPath(path: path) }
        self.path = socketPath
        let directory = parent(of: path)
        guard mkdir(directory, 0o700) == 0 || errno == EEXIST else {
            throw .system(call: "mkdir", path: directory, errno: errno)
        }
        try refuseOthers(in: directory)
        claim = try DirectoryLock(directory, for: path)
        try removeDeadSocket(at: socketPath)

        descriptor = try openSocket(for: path)
        // On Linux, bind(2) takes the file's mode from the socket, so the file is never open to others.
        guard fchmod(descriptor, 0o600) == 0 else { throw Self.failure("fchmod", path, closing: descriptor) }
        guard socketPath.withAddress({ [descriptor] in bind(descriptor, $0, $1) }) == 0 else {
            throw Self.failure("bind", path, closing: descriptor)
        }
        var status = stat()
        guard lstat(path, &status) == 0 else { throw Self.failure("lstat", path, closing: descriptor) }
        device = status.st_dev
        inode = status.st_ino
    }

    func listening() {
        claim.release()
    }

    /// Removes the file if it is still the bound one. Call before closing the descriptor: until then, no
    /// other file can get its inode.
    func remove() {
        if isThere { unlink(path.path) }
    }

    /// Whether the path still leads to the bound socket.
    var isThere: Bool {
        var status = stat()
        return lstat(path.path, &status) == 0 && status.st_dev == device && status.st_ino == inode
    }

    private static func failure(_ call: String, _ path: String, closing descriptor: Int32) -> ListenError {
        let number = errno
        close(descriptor)
        return .system(call: call, path: path, errno: number)
    }
}

private func openSocket(for path: String) throws(ListenError) -> Int32 {
    let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
    let descriptor = socket(AF_UNIX, type, 0)
    guard descriptor >= 0 else { throw .system(call: "socket", path: path, errno: errno) }
    return descriptor
}

/// A directory that other users can write to is refused: they could replace the socket.
private func refuseOthers(in directory: String) throws(ListenError) {
    var status = stat()
    guard lstat(directory, &status) == 0 else {
        throw .system(call: "lstat", path: directory, errno: errno)
    }
    func failure(_ reason: String) -> ListenError { .unsafeDirectory(path: directory, reason: reason) }
    switch status.st_mode & S_IFMT {
    case S_IFDIR: break
    case S_IFLNK: throw failure("is a symbolic link; name the directory itself")
    default: throw failure("is not a directory; name another path")
    }
    // A directory such as /tmp is safe: it belongs to root and is sticky, so other users can't replace files
    // in it.
    let isShared = status.st_uid == 0 && status.st_mode & S_ISVTX != 0
    guard status.st_uid == geteuid() || isShared else {
        throw failure("belongs to user \(status.st_uid); name another path")
    }
    guard status.st_mode & 0o022 == 0 || isShared else {
        throw failure("can be written to by other users; run chmod go-w on it, or name another path")
    }
}

private func removeDeadSocket(at path: UnixSocketPath) throws(ListenError) {
    var status = stat()
    guard lstat(path.path, &status) == 0 else {
        if errno == ENOENT { return }
        throw .system(call: "lstat", path: path.path, errno: errno)
    }
    guard status.st_mode & S_IFMT == S_IFSOCK else { throw .notASocket(path: path.path) }
    let probe = try openSocket(for: path.path)
    defer { close(probe) }
    let connected = path.withAddress { connect(probe, $0, $1) }
    // EAGAIN: a process listens, but its backlog is full.
    if connected == 0 || errno == EAGAIN { throw .alreadyServed(path: path.path) }
    guard errno == ECONNREFUSED else { throw .system(call: "connect", path: path.path, errno: errno) }
    guard unlink(path.path) == 0 else { throw .system(call: "unlink", path: path.path, errno: errno) }
}

/// flock(2) on the directory itself: leaves no lock file and ends with the process.
private final class DirectoryLock: Sendable {
    private let descriptor: Int32

    init(_ directory: String, for path: String) throws(ListenError) {
        descriptor = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .system(call: "open", path: directory, errno: errno) }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            if errno == EWOULDBLOCK { throw .busy(path: path) }
            throw .system(call: "flock", path: directory, errno: errno)
        }
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }

    func release() {
        flock(descriptor, LOCK_UN)
    }
}
