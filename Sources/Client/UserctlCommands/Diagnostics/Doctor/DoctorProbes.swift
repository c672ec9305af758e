import Cache
import Glibc
import Model
import Platform
import UserdAPI

/// The doctor's access to the machine.
struct DoctorProbes: Sendable {
    /// - Parameter following: whether to follow a symbolic link.
    var file: @Sendable (_ path: String, _ following: Bool) -> FileFact
    /// Calls `GetState` at a socket.
    var daemon: @Sendable (_ socket: String) -> Result<DaemonState, any Error>
    /// Calls `GetSettings` at a socket; nil if it fails.
    var settings: @Sendable (_ socket: String) -> [SettingValue]?
    var cache: @Sendable (_ path: String) async -> CacheExamination
    /// The damaged caches beside a cache file.
    var setAside: @Sendable (_ path: String) -> [SetAside]
    /// The file system of a path, which may not exist yet; nil if unknown.
    var fileSystem: @Sendable (_ path: String) -> (freeBytes: Int, isReadOnly: Bool)?
    /// The path of a program: `userd` beside this program, or from PATH.
    var find: @Sendable (_ program: String) -> String?
    var listeners: @Sendable () -> Listeners
    var bookAnswer: @Sendable (_ port: Int) -> Bool
    /// Why userd serves no address book at a port where it listens.
    var bookRefusal: @Sendable (_ port: Int) -> String?
    /// Calls `ListUsers` at a socket: the number of users in a book; nil if it fails.
    var bookSize: @Sendable (_ socket: String, BookFacts) -> Int?
    var otherPeople: @Sendable () -> [String]
    var run:
        @Sendable (_ path: String, _ arguments: [String], _ input: [UInt8], _ limit: Duration) throws ->
            ProgramRun
    var user: @Sendable () -> (id: UInt32, name: String)
}

extension DoctorProbes {
    /// userd answers within milliseconds.
    private static let timeout = Duration.seconds(3)
    /// The time limit for checking the whole cache.
    private static let cacheLimit = Duration.seconds(10)

    static func live(_ environment: [String: String]) -> DoctorProbes {
        DoctorProbes(
            file: fileFact,
            daemon: { socket in
                Result { try UserdClient.live(socket: socket, timeout: timeout).getState().decoded() }
            },
            settings: { socket in
                try? UserdClient.live(socket: socket, timeout: timeout).getSettings().decoded().settings
            },
            cache: { await CacheExamination.of($0, within: cacheLimit) },
            setAside: SetAside.all, fileSystem: fileSystemFact,
            find: { name in
                let own = parent(of: processLink("/proc/self/exe") ?? "") + "/" + name
                if name == "userd", ProgramRun.isProgram(own) { return own }
                return ProgramRun.find(name, in: environment["PATH"] ?? "/usr/bin:/bin")
            },
            listeners: {
                Listeners(
                    ["/proc/net/tcp", "/proc/net/tcp6"].compactMap { path in
                        (try? RegularFile(path, upTo: 16 << 20)).map {
                            String(decoding: $0.bytes, as: UTF8.self)
                        }
                    })
            }, bookAnswer: UserctlCommands.bookAnswer, bookRefusal: UserctlCommands.bookRefusal,
            bookSize: { socket, book in
                let query = ListUsers(search: book.search, department: book.department, limit: 1)
                return try? UserdClient.live(socket: socket, timeout: timeout).listUsers(query).decoded()
                    .total
            }, otherPeople: { UserctlCommands.otherPeople(than: geteuid()) },
            run: { try ProgramRun.of($0, $1, input: $2, environment: environment, within: $3) },
            user: {
                let id = geteuid()
                return (id, getpwuid(id).map { String(cString: $0.pointee.pw_name) } ?? "user \(id)")
            })
    }
}

@Sendable private func fileFact(_ path: String, _ following: Bool) -> FileFact {
    var status = stat()
    guard (following ? stat(path, &status) : lstat(path, &status)) == 0 else {
        return errno == ENOENT || errno == ENOTDIR ? .absent : .unknown(String(cString: strerror(errno)))
    }
    let kind: FileFact.Kind =
        switch status.st_mode & S_IFMT {
        case S_IFDIR: .folder
        case S_IFREG: .file
        case S_IFSOCK: .socket
        case S_IFLNK: .link
        default: .other
        }
    return .found(kind, owner: status.st_uid, mode: status.st_mode & 0o7777)
}

@Sendable private func fileSystemFact(_ path: String) -> (freeBytes: Int, isReadOnly: Bool)? {
    var status = statvfs()
    var place = path
    // userd creates missing folders.
    while statvfs(place, &status) != 0 {
        guard errno == ENOENT, parent(of: place) != place else { return nil }
        place = parent(of: place)
    }
    let (bytes, overflow) = Int(clamping: status.f_bavail)
        .multipliedReportingOverflow(by: Int(clamping: status.f_frsize))
    return (overflow ? .max : bytes, status.f_flag & UInt(ST_RDONLY) != 0)
}
