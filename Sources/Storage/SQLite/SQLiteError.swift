import CSQLite

/// An SQLite error with its statement, but without the bound values.
package struct SQLiteError: Error, Hashable, Sendable {
    /// The extended result code: https://www.sqlite.org/rescode.html
    package let code: Int32
    package let message: String
    package let sql: String?

    package init(code: Int32, message: String, sql: String? = nil) {
        self.code = code
        self.message = message
        self.sql = sql
    }

    init(_ handle: OpaquePointer?, code: Int32, sql: String? = nil) {
        let reason = handle.flatMap { sqlite3_errmsg($0) } ?? sqlite3_errstr(code)
        self.init(code: code, message: reason.map { String(cString: $0) } ?? "", sql: sql)
    }

    package var primaryCode: Int32 { code & 0xff }
    package var isBusy: Bool { primaryCode == SQLITE_BUSY }
    package var isInterrupted: Bool { primaryCode == SQLITE_INTERRUPT }
    package var isCorrupt: Bool { primaryCode == SQLITE_CORRUPT }
    package var isCantOpen: Bool { primaryCode == SQLITE_CANTOPEN }
    package var isNotADatabase: Bool { primaryCode == SQLITE_NOTADB }
    package var isReadOnly: Bool { primaryCode == SQLITE_READONLY }
}

extension SQLiteError: CustomStringConvertible {
    /// For people; without the statement.
    package var reason: String {
        let name = String(cString: sqlite3_errstr(code))
        if message.isEmpty { return name }
        return message.hasPrefix(name) ? message : "\(name): \(message)"
    }

    package var description: String {
        "SQLite error \(code) (\(reason))" + (sql.map { " in: \($0)" } ?? "")
    }
}
