import CSQLite
import Glibc

/// SQLite's functions. Valid after `Library.load` returned.
var sqlite: csqlite_functions { Library.functions }

/// Debian's libsqlite3, loaded with the first connection: commands that only talk to userd don't need it, and loading
/// it takes as long as the rest of such a command.
enum Library {
    // Holds pointers, so not Sendable. They point to functions and are written once, before use.
    fileprivate nonisolated(unsafe) private(set) static var functions = csqlite_functions()
    private static let problem: String? = find()

    /// Throws if the library is missing or unusable.
    static func load() throws {
        guard let problem else { return }
        throw SQLiteError(
            code: SQLITE_CANTOPEN,
            message: "\(problem); install Debian's package libsqlite3-0")
    }

    private static func find() -> String? {
        let name = "libsqlite3.so.0"
        guard let library = dlopen(name, RTLD_NOW | RTLD_LOCAL) else {
            return dlerror().map { String(cString: $0) } ?? "\(name) can't be loaded"
        }
        return csqlite_find(&functions, library).map { "\(name) lacks \(String(cString: $0))" }
    }
}
