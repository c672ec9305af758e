import CSQLite
import Glibc

/// SQLite's functions, once `Library.load` has not thrown.
var sqlite: csqlite_functions { Library.functions }

/// Debian's libsqlite3, loaded when the first connection is opened: a command that only asks userd has no use for it, and
/// loading it would take as long as all else that such a command does.
enum Library {
    // Not sendable, since it holds pointers: to functions, which are written once, before anybody has them.
    fileprivate nonisolated(unsafe) private(set) static var functions = csqlite_functions()
    private static let problem: String? = find()

    /// Throws where the library is missing, or of no use.
    static func load() throws {
        guard let problem else { return }
        throw SQLiteError(
            code: SQLITE_CANTOPEN,
            message: "\(problem); Debian's package libsqlite3-0 has it")
    }

    private static func find() -> String? {
        let name = "libsqlite3.so.0"
        guard let library = dlopen(name, RTLD_NOW | RTLD_LOCAL) else {
            return dlerror().map { String(cString: $0) } ?? "\(name) can't be loaded"
        }
        return csqlite_find(&functions, library).map { "\(name) lacks \(String(cString: $0))" }
    }
}
