import SQLite

extension Machine {
    /// Copies the log of userd's cache into it and cuts it, as soon as userd isn't at it itself: what is in the log is read
    /// from there, and it has room for what is written next. Userd may write it again at once.
    func emptyLog() throws {
        let connection = try Connection(path: database, access: .readWrite)
        defer { connection.close() }
        // It does nothing, and says so, while another is at it.
        while try connection.rows("PRAGMA wal_checkpoint(TRUNCATE)", [], { try $0.int(0) }) != [0] {}
    }
}
