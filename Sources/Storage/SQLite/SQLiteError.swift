import CSQLite

/// An SQLite error with its statement, but without the bound values.
package struct SQLiteError: Error, Hashable, Sendable {
    /// The extended result code: https://www.sqlite.org/rescode.html
    package let code: Int32
    package let message: String
    package let sql: String?

    // Swift does not import these macros.
    private static let failedWrite = SQLITE_IOERR | 3 << 8
    package static let failedSync = SQLITE_IOERR | 4 << 8
    private static let failedDirectorySync = SQLITE_IOERR | 5 << 8

    /// Damage that SQLite does not detect: a row that the program can't have written.
    package static func damage(_ what: String) -> SQLiteError {
        SQLiteError(code: SQLITE_CORRUPT, message: what)
    }

    package init(code: Int32, message: String, sql: String? = nil) {
        (self.code, self.message, self.sql) = (code, message, sql)
    }

    init(_ handle: OpaquePointer?, code: Int32, sql: String? = nil) {
        let reason = handle.flatMap { sqlite3_errmsg($0) } ?? sqlite3_errstr(code)
        self.init(code: code, message: reason.map { String(cString: $0) } ?? "", sql: sql)
    }

    package var primaryCode: Int32 { code & 0xff }
    package var isBusy: Bool { primaryCode == SQLITE_BUSY }
    package var isInterrupted: Bool { primaryCode == SQLITE_INTERRUPT }
    package var isCorrupt: Bool { primaryCode == SQLITE_CORRUPT }
    /// The file's content can't be used: part of it is damaged, or it is not a database.
    package var isDamage: Bool { isCorrupt || isNotADatabase }
    /// A statement or a value does not fit the file's content: damage, if the statement is right.
    package var isMisfit: Bool { primaryCode == SQLITE_ERROR || isWrongValue }
    var isWrongValue: Bool { [SQLITE_MISMATCH, SQLITE_CONSTRAINT].contains(primaryCode) }
    /// The system failed to write or sync data, so the file may differ from what the connection expects.
    /// https://www.sqlite.org/rescode.html#ioerr_fsync
    var isLostWrite: Bool {
        [SQLiteError.failedWrite, SQLiteError.failedSync, SQLiteError.failedDirectorySync].contains(code)
    }
    package var isNotADatabase: Bool { primaryCode == SQLITE_NOTADB }
    package var isReadOnly: Bool { primaryCode == SQLITE_READONLY }
    /// The file can't be written now: no room, no permission, a failing disk, or another process's lock.
    package var forbidsWriting: Bool {
        [SQLITE_READONLY, SQLITE_CANTOPEN, SQLITE_FULL, SQLITE_IOERR, SQLITE_BUSY].contains(primaryCode)
    }
}

extension SQLiteError: CustomStringConvertible {
    /// The text for people, without the statement.
    package var reason: String {
        let name = String(cString: sqlite3_errstr(code))
        if message.isEmpty { return name }
        return message.hasPrefix(name) ? message : "\(name): \(message)"
    }

    package var description: String {
        "SQLite error \(code) (\(reason))" + (sql.map { " in: \($0)" } ?? "")
    }
}
