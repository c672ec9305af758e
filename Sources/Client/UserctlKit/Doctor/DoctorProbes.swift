import BaseDirectories
import Cache
import Glibc
import Model
import UserdAPI

/// All that the doctor touches to find out.
package struct DoctorProbes: Sendable {
    package typealias Run =
        @Sendable (_ path: String, _ arguments: [String], _ limit: Duration) throws -> ProgramRun

    /// - Parameter following: whether what a symbolic link leads to is meant.
    package var file: @Sendable (_ path: String, _ following: Bool) -> FileFact
    /// Asks the userd at a socket for its state.
    package var daemon: @Sendable (_ socket: String) -> Result<DaemonState, any Error>
    package var cache: @Sendable (_ path: String) async -> CacheExamination
    /// Where a file is or would be; nil where nobody says.
    package var fileSystem: @Sendable (_ path: String) -> (freeBytes: Int, isReadOnly: Bool)?
    /// Where a program of that name is: `userd` beside this one, if it is there.
    package var find: @Sendable (_ program: String) -> String?
    package var run: Run
    package var user: @Sendable () -> (id: UInt32, name: String)

    package init(
        file: @escaping @Sendable (_ path: String, _ following: Bool) -> FileFact,
        daemon: @escaping @Sendable (_ socket: String) -> Result<DaemonState, any Error>,
        cache: @escaping @Sendable (_ path: String) async -> CacheExamination,
        fileSystem: @escaping @Sendable (_ path: String) -> (freeBytes: Int, isReadOnly: Bool)?,
        find: @escaping @Sendable (_ program: String) -> String?,
        run: @escaping Run,
        user: @escaping @Sendable () -> (id: UInt32, name: String)
    ) {
        self.file = file
        self.daemon = daemon
        self.cache = cache
        self.fileSystem = fileSystem
        self.find = find
        self.run = run
        self.user = user
    }
}

extension DoctorProbes {
    /// For userd's answer, which is a matter of milliseconds.
    private static let patience = Duration.seconds(3)
    /// For a look at all of the cache.
    private static let cacheLimit = Duration.seconds(10)

    package static func live(_ environment: [String: String]) -> DoctorProbes {
        DoctorProbes(
            file: fileFact,
            daemon: { socket in
                Result { try UserdClient.live(socket: socket, timeout: patience).getState().decoded() }
            },
            cache: { await CacheExamination.of($0, within: cacheLimit) },
            fileSystem: fileSystemFact,
            find: { name in
                let own = parent(of: ownPath()) + "/" + name
                if name == "userd", ProgramRun.isProgram(own) { return own }
                return ProgramRun.find(name, in: environment["PATH"] ?? "/usr/bin:/bin")
            },
            run: { try ProgramRun.of($0, $1, environment: environment, within: $2) },
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
    // userd makes the folders that are missing.
    while statvfs(place, &status) != 0 {
        guard errno == ENOENT, parent(of: place) != place else { return nil }
        place = parent(of: place)
    }
    let (bytes, overflow) = Int(clamping: status.f_bavail)
        .multipliedReportingOverflow(by: Int(clamping: status.f_frsize))
    return (overflow ? .max : bytes, status.f_flag & UInt(ST_RDONLY) != 0)
}

private func ownPath() -> String {
    let path = [UInt8](unsafeUninitializedCapacity: Int(PATH_MAX)) { buffer, count in
        buffer.withMemoryRebound(to: CChar.self) { characters in
            guard let start = characters.baseAddress else { return }
            count = max(0, readlink("/proc/self/exe", start, characters.count))
        }
    }
    return String(decoding: path, as: UTF8.self)
}
