import CSQLite

/// The current row of a statement. Valid until the next step. Columns count from 0.
package struct Row {
    private let statement: OpaquePointer

    init(_ statement: OpaquePointer) { self.statement = statement }

    package func int64(_ column: Int) throws -> Int64 {
        try expect(SQLITE_INTEGER, at: column)
        return sqlite3_column_int64(statement, Int32(column))
    }

    package func int(_ column: Int) throws -> Int { Int(try int64(column)) }

    package func text(_ column: Int) throws -> String {
        try withBytes(SQLITE_TEXT, column) { String(decoding: $0, as: UTF8.self) }
    }

    package func textOrNil(_ column: Int) throws -> String? { isNull(column) ? nil : try text(column) }

    /// Bytes of a text or blob.
    package func bytes(_ column: Int) throws -> [UInt8] {
        try withBytes(type(column) == SQLITE_BLOB ? SQLITE_BLOB : SQLITE_TEXT, column) { Array($0) }
    }

    /// Copies a text's bytes without creating a `String`.
    package func appendUTF8(_ column: Int, to buffer: inout [UInt8]) throws {
        try withBytes(SQLITE_TEXT, column) { buffer.append(contentsOf: $0) }
    }

    package func isNull(_ column: Int) -> Bool { type(column) == SQLITE_NULL }

    package func value(_ column: Int) throws -> Value {
        switch type(column) {
        case SQLITE_INTEGER: .integer(try int64(column))
        case SQLITE_FLOAT: .real(sqlite3_column_double(statement, Int32(column)))
        case SQLITE_TEXT: .text(try text(column))
        case SQLITE_BLOB: .blob(try bytes(column))
        default: .null
        }
    }

    private func withBytes<T>(
        _ expected: Int32, _ column: Int, _ body: (UnsafeRawBufferPointer) throws -> T
    ) throws -> T {
        try expect(expected, at: column)
        let start = sqlite3_column_blob(statement, Int32(column))
        let count = Int(sqlite3_column_bytes(statement, Int32(column)))
        return try body(UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : count))
    }

    private func type(_ column: Int) -> Int32 { sqlite3_column_type(statement, Int32(column)) }

    private func expect(_ expected: Int32, at column: Int) throws {
        guard type(column) == expected else {
            let name = sqlite3_column_name(statement, Int32(column)).map { String(cString: $0) } ?? "?"
            throw SQLiteError(
                code: SQLITE_MISMATCH,
                message: "column \(name) is \(Self.name(of: type(column))), not \(Self.name(of: expected))",
                sql: sqlite3_sql(statement).map { String(cString: $0) })
        }
    }

    private static func name(of type: Int32) -> String {
        switch type {
        case SQLITE_INTEGER: "INTEGER"
        case SQLITE_FLOAT: "REAL"
        case SQLITE_TEXT: "TEXT"
        case SQLITE_BLOB: "BLOB"
        default: "NULL"
        }
    }
}
