import Model
import SQLite
import StrictJSON

/// Number of users that were copied from a damaged cache, and that it had.
package struct RestoredUsers: Hashable, Sendable {
    package var restored: Int
    package var total: Int
}

/// What can be read of the users in a damaged cache of any schema.
struct SetAsideUsers {
    private let file: Connection
    private let table: String

    init(_ path: String) throws {
        file = try Connection(path: path, access: .readOnly)
        // Schemas before 8 have the records in users.
        let hasRecords = try? file.firstInt("SELECT 1 FROM sqlite_schema WHERE name = 'user_records'")
        table = hasRecords == nil ? "users" : "user_records"
    }

    /// Copies them, row by row, in one transaction, with their source and the time of the last sync.
    func copy(now: Timestamp, _ userRow: UserRow, to connection: Connection) throws -> RestoredUsers {
        defer { file.close() }
        let saved = try? file.first("SELECT state FROM resources WHERE resource = 'users'") {
            try JSONValue(validating: try $0.bytes(0), maximumDepth: 8)
        }
        let source = try? file.first("SELECT source FROM resources WHERE resource = 'users'") {
            try $0.textOrNil(0)
        }
        var (rows, unreadable) = ([[Value]](), 0)
        func stage(_ atLeast: Int) throws {
            guard rows.count >= atLeast else { return }
            _ = try Staging.insert(rows, of: .users, on: Page<User>(), 1, sync: 0, connection)
            rows = []
        }
        try connection.deferred { try Staging.begin(.users, sync: 0, connection) }
        try forEachRecord { record in
            guard let user = record.flatMap({ try? decoded(User.self, from: $0) }) else {
                return unreadable += 1
            }
            rows.append(userRow.values(user))
            try stage(1000)
        }
        try stage(1)
        var after = 0
        try connection.immediate {
            var resource = SavedResource.created(
                .users, epoch: try History.sequence(connection).epoch, now: now)
            resource.source = source ?? nil
            resource.state.phase = .loaded
            resource.state.syncedAt = saved?["synced_at"]?.string.flatMap { Timestamp(rfc3339: $0) }
            let change = try UserRows.commit(.atOnce, connection) { rows in
                resource.state.count = rows.counted
                after = rows.after
                return Change(transition: resource.state, resource: resource)
            }
            try Staging.end(.users, connection)
            if after > 0 { try History.save([change.resource], connection) }
        }
        return RestoredUsers(
            restored: after, total: max(saved?["count"]?.int.map { Int($0) } ?? 0, after + unreadable))
    }

    /// Calls the body with the record of each row that can be found, or nil if that record can't be read.
    private func forEachRecord(_ body: (String?) throws -> Void) throws {
        var (last, skipped, gaps) = (0 as Int64, 0 as Int64, [(after: Int64, before: Int64)]())
        // Goes on behind a damaged part, at twice the distance each time.
        while skipped < .max / 4 {
            let isWhole = try read(after: last + skipped) { number, record in
                if skipped > 0 { gaps.append((last, number)) }
                (last, skipped) = (number, 0)
                try body(record)
            }
            if isWhole { break }
            skipped = max(1, skipped * 2)
        }
        if skipped > 0 { gaps.append((last, .max)) }
        // The rest of each damaged part, from its other end.
        for gap in gaps {
            _ = try read(after: gap.after, before: gap.before, "DESC") { try body($1) }
        }
    }

    /// - Returns: false if the file is damaged before the end.
    private func read(
        after: Int64, before: Int64 = .max, _ order: String = "", _ body: (Int64, String?) throws -> Void
    ) throws -> Bool {
        var failure: (any Error)?
        do {
            try file.scan(
                """
                SELECT number, record FROM \(table) WHERE number > ? AND number < ? ORDER BY number \(order)
                """, [.integer(after), .integer(before)]
            ) { row in
                do { try body(try row.int64(0), try? row.text(1)) } catch { failure = error }
                return failure == nil
            }
        } catch is SQLiteError {
            return false
        }
        if let failure { throw failure }
        return true
    }
}

extension CacheLock {
    /// Rebuilds the indexes of the closed cache from its rows. Throws, with the file as it was, if more is
    /// damaged.
    package func rebuildIndexes() throws {
        try require()
        let connection = try Connection(path: path, access: .readWrite)
        defer { connection.close() }
        try Migrator.cache.check(connection)
        try connection.immediate {
            _ = try History.sequence(connection)
            _ = try History.saved(connection)
            try connection.execute(
                """
                REINDEX;
                INSERT INTO user_words (user_words) VALUES ('rebuild');
                INSERT INTO fact_words (fact_words) VALUES ('rebuild');
                """)
            if let damage = try connection.damage() { throw SQLiteError.damage(damage) }
            try lookAtFirst(connection)
        }
    }
}
