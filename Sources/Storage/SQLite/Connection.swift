import CSQLite
import FoundationEssentials
import Glibc

/// Version of the loaded library, such as 3040001 for 3.40.1.
package let sqliteVersion = Int(sqlite3_libversion_number())

/// A connection to one database, confined to one thread or executor. Closed when released.
package final class Connection {
    package enum Access: Sendable {
        case readWriteCreate, readWrite, readOnly
        /// No locks and no -wal or -shm files: only for a file that no process writes to.
        /// https://www.sqlite.org/uri.html#uriimmutable
        case immutable
        /// Read-only and without locks, with the index of the write-ahead log in memory instead of a -shm file: only
        /// for a file that no process writes to. https://www.sqlite.org/wal.html#noshm
        case unlocked
    }

    let busyTimeout: Duration
    /// Path of the write-ahead log.
    private let log: String
    private(set) var handle: OpaquePointer?
    private var statements = StatementCache()
    /// The first damage or lost write, even if the caller ignored the error.
    private(set) var fault: SQLiteError?
    /// Whether a file without locks is unchanged since it was opened.
    package var isUnchanged: (@Sendable () -> Bool)?
    /// Kept here because SQLite holds a pointer to it.
    var interruption: Interruption?

    /// Turns off SQLite's memory statistics, which nothing reads and which take a lock at each allocation.
    /// Must run before SQLite is used.
    /// https://www.sqlite.org/c3ref/c_config_covering_index_scan.html#sqliteconfigmemstatus
    private static let isConfigured = csqlite_config_int(SQLITE_CONFIG_MEMSTATUS, 0) == SQLITE_OK

    /// - Parameters:
    ///   - path: a file, or `:memory:`; not a URI.
    ///   - busyTimeout: maximum wait for another process's lock.
    ///   - vfs: name of the file system layer, in which tests inject faults; nil for SQLite's default.
    ///     https://www.sqlite.org/vfs.html
    package init(path: String, access: Access, busyTimeout: Duration = .seconds(5), vfs: String? = nil)
        throws
    {
        _ = Self.isConfigured
        self.busyTimeout = busyTimeout
        log = path + "-wal"
        let flags =
            switch access {
            case .readWriteCreate: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
            case .readWrite: SQLITE_OPEN_READWRITE
            case .readOnly: SQLITE_OPEN_READONLY
            case .immutable, .unlocked: SQLITE_OPEN_READONLY | SQLITE_OPEN_URI
            }
        guard !path.isEmpty, !path.utf8.contains(0) else {
            throw SQLiteError(code: SQLITE_CANTOPEN, message: "invalid path: \(path)")
        }
        // Debian's SQLite reads `file:…` as a URI: https://www.sqlite.org/uri.html
        let name =
            switch access {
            case .immutable: Self.uri(of: path) + "?immutable=1"
            case .unlocked: Self.uri(of: path) + "?vfs=unix-none"
            default: path.hasPrefix("file:") ? "./" + path : path
            }
        let code = sqlite3_open_v2(name, &handle, flags | SQLITE_OPEN_EXRESCODE | SQLITE_OPEN_NOMUTEX, vfs)
        guard code == SQLITE_OK else {
            let error = SQLiteError(handle, code: code)
            close()
            throw SQLiteError(code: code, message: "\(error.message): \(path)")
        }
        _ = sqlite3_busy_timeout(handle, Int32(min(busyTimeout / .milliseconds(1), Double(Int32.max))))
        // If SQLite can't write to a file, it opens it read-only instead.
        if access == .readWrite || access == .readWriteCreate, sqlite3_db_readonly(handle, "main") == 1 {
            close()
            throw SQLiteError(code: SQLITE_READONLY, message: "the file can't be written")
        }
        // https://www.sqlite.org/security.html
        for (option, value) in [
            (SQLITE_DBCONFIG_DEFENSIVE, 1), (SQLITE_DBCONFIG_DQS_DML, 0), (SQLITE_DBCONFIG_DQS_DDL, 0),
            (SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0), (SQLITE_DBCONFIG_ENABLE_FKEY, 1),
        ] as [(Int32, Int32)] {
            try check(csqlite_db_config_int(handle, option, value))
        }
        // Before the first read.
        if access == .unlocked { try execute("PRAGMA locking_mode = EXCLUSIVE") }
        try execute("PRAGMA mmap_size = 0; PRAGMA synchronous = FULL;")
    }

    static func uri(of path: String) -> String {
        guard !path.hasPrefix("/") else {
            return URL(filePath: path, directoryHint: .notDirectory).absoluteString
        }
        // Of a relative path, Foundation would resolve `..` without looking at links, and expand a tilde.
        let uri = URL(filePath: "/" + path, directoryHint: .notDirectory).absoluteString
        return "file:./" + uri.dropFirst("file:///".count)
    }

    deinit { close() }

    /// Size in bytes. Closing does not copy a larger log into the database, which could take minutes; the
    /// next connection does.
    /// https://www.sqlite.org/c3ref/c_dbconfig_defensive.html#sqlitedbconfignockptonclose
    private static let maximumLogAtClose = 16 << 20

    /// Idempotent. Later calls throw `SQLITE_MISUSE`.
    package func close() {
        statements.removeAll()
        interruption?.end()
        // An interrupt stays in force until the next statement starts, and would stop the copying of the log.
        try? execute("SELECT 1")
        if let handle {
            var status = stat()
            if stat(log, &status) == 0, status.st_size > Self.maximumLogAtClose {
                _ = csqlite_db_config_int(handle, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
            }
            _ = sqlite3_close_v2(handle)
        }
        handle = nil
    }

    /// Lets readers and the writer work at the same time. No effect on a database in memory.
    package func useWriteAheadLog() throws {
        // If several connections turn the log on at the same time, SQLite refuses all but one immediately and
        // ignores the busy timeout, to avoid a deadlock.
        var waited = Duration.zero
        while true {
            do {
                let mode = try first("PRAGMA journal_mode = WAL") { try $0.text(0) }
                if mode == "wal" || mode == "memory" { return }
                throw SQLiteError(
                    code: SQLITE_CANTOPEN, message: "the write-ahead log can't be used for this file")
            } catch let error as SQLiteError where error.isBusy && waited < busyTimeout {
                waited += .milliseconds(Int(sqlite3_sleep(5)))
            }
        }
    }

    /// Runs statements without parameters and ignores their rows.
    package func execute(_ script: String) throws {
        guard let handle else { throw SQLiteError(code: SQLITE_MISUSE, message: "closed", sql: script) }
        try check(sqlite3_exec(handle, script, nil, nil, nil), script)
    }

    /// - Returns: number of rows that an INSERT, UPDATE or DELETE changed.
    @discardableResult
    package func run(_ sql: String, _ bindings: [Value] = []) throws -> Int {
        try forEach(sql, bindings) { _ in }
        return Int(sqlite3_changes64(handle))
    }

    package func rows<T>(_ sql: String, _ bindings: [Value] = [], _ read: (Row) throws -> T) throws -> [T] {
        var result: [T] = []
        try forEach(sql, bindings) { result.append(try read($0)) }
        return result
    }

    /// The first column of the first row; nil if there is no row.
    package func firstInt(_ sql: String, _ bindings: [Value] = []) throws -> Int? {
        try first(sql, bindings) { try $0.int(0) }
    }

    package func first<T>(_ sql: String, _ bindings: [Value] = [], _ read: (Row) throws -> T) throws -> T? {
        try with(sql, bindings) { statement in
            guard try step(statement, sql) else { return nil }
            return try read(Row(statement))
        }
    }

    /// The row is valid only during the call.
    package func forEach(_ sql: String, _ bindings: [Value] = [], _ body: (Row) throws -> Void) throws {
        try scan(sql, bindings) { row in
            try body(row)
            return true
        }
    }

    /// Stops when the body returns false. The row is valid only during the call.
    package func scan(_ sql: String, _ bindings: [Value] = [], _ body: (Row) throws -> Bool) throws {
        try with(sql, bindings) { statement in
            while try step(statement, sql), try body(Row(statement)) {}
        }
    }

    /// Calls the body with a function that returns the next row; nil after the last. A row is valid until the
    /// next step or the body's end. Other statements may run between two steps.
    package func stepping<T>(
        _ sql: String, _ bindings: [Value] = [], _ body: (_ next: @escaping () throws -> Row?) throws -> T
    ) throws -> T {
        try with(sql, bindings) { statement in
            try body { try self.step(statement, sql) ? Row(statement) : nil }
        }
    }

    /// Examines the whole file and returns the first damage found.
    package func damage() throws -> String? {
        let report = try first("PRAGMA integrity_check(1)") { try $0.text(0) }
        guard let report, report != "ok" else { return nil }
        // Drops the headline `*** in database main ***`.
        return report.split(separator: "\n").filter { !$0.hasPrefix("***") }.joined(separator: "; ")
    }

    /// A transaction that takes the write lock at its start. Rolls back if the body or the commit throws.
    @discardableResult
    package func immediate<T>(_ body: () throws -> T) throws -> T { try transaction("BEGIN IMMEDIATE", body) }

    /// A transaction that takes no lock at its start: the body sees one snapshot, and may write temporary tables while
    /// another connection writes the file.
    @discardableResult
    package func deferred<T>(_ body: () throws -> T) throws -> T { try transaction("BEGIN", body) }

    private func transaction<T>(_ begin: String, _ body: () throws -> T) throws -> T {
        try run(begin)
        do {
            let result = try body()
            try run("COMMIT")
            return result
        } catch {
            // Fails if the error has already rolled back: https://www.sqlite.org/lang_transaction.html
            try? execute("ROLLBACK")
            throw error
        }
    }

    private func with<T>(_ sql: String, _ bindings: [Value], _ body: (OpaquePointer) throws -> T) throws -> T
    {
        guard let handle else { throw SQLiteError(code: SQLITE_MISUSE, message: "closed", sql: sql) }
        let statement = try statements.take(sql) ?? prepare(sql, handle)
        defer {
            _ = sqlite3_reset(statement)
            _ = sqlite3_clear_bindings(statement)
            // The body may have closed the connection.
            if self.handle == nil { _ = sqlite3_finalize(statement) } else { statements.put(statement, sql) }
        }
        guard Int(sqlite3_bind_parameter_count(statement)) == bindings.count else {
            throw SQLiteError(
                code: SQLITE_RANGE,
                message: "the number of values, \(bindings.count), does not match the statement",
                sql: sql)
        }
        for (index, value) in bindings.enumerated() {
            try check(bind(value, to: statement, at: Int32(index + 1)), sql)
        }
        return try body(statement)
    }

    private func prepare(_ sql: String, _ handle: OpaquePointer) throws -> OpaquePointer {
        var statement: OpaquePointer?
        var hasMore = false
        var text = sql
        let code = text.withUTF8 { bytes in
            bytes.withMemoryRebound(to: CChar.self) { characters in
                var tail: UnsafePointer<CChar>?
                let code = sqlite3_prepare_v3(
                    handle, characters.baseAddress, Int32(characters.count),
                    UInt32(SQLITE_PREPARE_PERSISTENT), &statement, &tail)
                if let tail, let start = characters.baseAddress {
                    hasMore = characters[(tail - start)...].contains { !(0...0x20).contains($0) }
                }
                return code
            }
        }
        try check(code, sql)
        guard let statement, !hasMore else {
            _ = sqlite3_finalize(statement)
            throw SQLiteError(code: SQLITE_MISUSE, message: "expected exactly one statement", sql: sql)
        }
        return statement
    }

    private func bind(_ value: Value, to statement: OpaquePointer, at index: Int32) -> Int32 {
        switch value {
        case .null: sqlite3_bind_null(statement, index)
        case .integer(let number): sqlite3_bind_int64(statement, index, number)
        case .real(let number): sqlite3_bind_double(statement, index, number)
        case .text(var text): text.withUTF8 { bind($0, to: statement, at: index) }
        case .utf8(let bytes): bytes.withUnsafeBufferPointer { bind($0, to: statement, at: index) }
        case .blob(let bytes):
            bytes.isEmpty
                ? sqlite3_bind_zeroblob(statement, index, 0)
                : sqlite3_bind_blob64(statement, index, bytes, UInt64(bytes.count), csqlite_transient())
        }
    }

    private func bind(_ text: UnsafeBufferPointer<UInt8>, to statement: OpaquePointer, at index: Int32)
        -> Int32
    {
        text.withMemoryRebound(to: CChar.self) {
            // An empty buffer may have no address; a null pointer would bind NULL.
            $0.isEmpty
                ? sqlite3_bind_text(statement, index, "", 0, csqlite_transient())
                : sqlite3_bind_text64(
                    statement, index, $0.baseAddress, UInt64($0.count), csqlite_transient(),
                    UInt8(SQLITE_UTF8))
        }
    }

    private func step(_ statement: OpaquePointer, _ sql: String) throws -> Bool {
        let code = sqlite3_step(statement)
        switch code {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        default: throw failure(code, sql)
        }
    }

    private func check(_ code: Int32, _ sql: String? = nil) throws {
        guard code == SQLITE_OK else { throw failure(code, sql) }
    }

    private func failure(_ code: Int32, _ sql: String?) -> SQLiteError {
        let error = SQLiteError(handle, code: code, sql: sql)
        if error.isDamage || error.isLostWrite { fault = fault ?? error }
        return error
    }
}
