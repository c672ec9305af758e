import SQLite

extension Machine {
    /// Checkpoints and empties the log of userd's cache as soon as userd does not use it. Reads then come
    /// from the cache file, and the log has room for the next write. userd may write it again at once.
    func emptyLog() throws {
        let connection = try Connection(path: database, access: .readWrite)
        defer { connection.close() }
        // While another process uses the log, this does nothing and returns 1.
        while try connection.rows("PRAGMA wal_checkpoint(TRUNCATE)", [], { try $0.int(0) }) != [0] {}
    }
}
