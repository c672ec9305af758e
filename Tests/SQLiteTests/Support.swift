import CSQLite
import Foundation
import SQLite

func memory() throws -> Connection { try Connection(path: ":memory:", access: .readWriteCreate) }

func memoryDatabase() async throws -> Database {
    try await Database(path: ":memory:", access: .readWriteCreate)
}

extension Database {
    /// Opens a connection at once, and never another.
    convenience init(
        path: String, access: Connection.Access, busyTimeout: Duration = .seconds(5),
        damaged: @escaping @Sendable (SQLiteError) -> Void = { _ in }
    ) async throws {
        self.init(damaged: damaged, reopens: false) {
            try Connection(path: path, access: access, busyTimeout: busyTimeout)
        }
        try await run { _ in }
    }
}

extension Connection {
    /// The first value of the first row.
    func value(_ sql: String, _ bindings: [Value] = []) throws -> Value? {
        try first(sql, bindings) { try $0.value(0) }
    }

    func ints(_ sql: String, _ bindings: [Value] = []) throws -> [Int] {
        try rows(sql, bindings) { try $0.int(0) }
    }

    /// The statements that this connection has prepared, except this one: https://www.sqlite.org/stmt.html
    func prepared() throws -> [String] {
        try rows("SELECT sql FROM sqlite_stmt WHERE sql NOT LIKE '%sqlite_stmt%'") { try $0.text(0) }
    }
}

/// A query that takes any time wanted.
func countingTo(_ end: Int) -> String {
    "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c WHERE x < \(end)) SELECT count(*) FROM c"
}

/// The SQLite error that the body throws; nil for none.
func error<T>(_ body: () throws -> T) -> SQLiteError? {
    do { _ = try body() } catch let error as SQLiteError { return error } catch {}
    return nil
}

/// Number of this process's descriptors of the file and of files whose names begin with it (`-wal`, `-shm`).
func openDescriptors(of path: String) throws -> Int {
    try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count { descriptor in
        let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(descriptor)")
        return target?.hasPrefix(path) ?? false
    }
}

func bytes(of path: String) throws -> Data { try Data(contentsOf: URL(filePath: path)) }

func files(in directory: String) throws -> Set<String> {
    Set(try FileManager.default.contentsOfDirectory(atPath: directory))
}
