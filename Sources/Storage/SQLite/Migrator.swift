/// One step of a schema. Its version is its place among them, from 1.
package typealias Migration = (name: String, sql: String)

/// Why a database is not migrated.
package enum MigrationError: Error, Hashable, Sendable {
    /// The file belongs to another program.
    case foreign(applicationID: Int)
    case newer(found: Int, known: Int)
    case older(found: Int, known: Int)
    /// A migration failed; the database is unchanged.
    case failed(found: Int, known: Int, SQLiteError)
}

/// Migrates a database to the current schema, or refuses it unchanged.
package struct Migrator: Sendable {
    let applicationID: Int32
    let migrations: [Migration]

    package init(applicationID: Int32, migrations: [Migration]) {
        self.applicationID = applicationID
        self.migrations = migrations
    }

    package var known: Int { migrations.count }

    /// Turns the write-ahead log on and applies the missing migrations in one transaction. Each adds a row to
    /// `migrations`.
    /// - Parameters:
    ///   - now: time to write to these rows.
    ///   - progress: called with a migration's version when it begins, and repeatedly while it runs.
    package func migrate(
        _ connection: Connection, now: String, progress: (_ version: Int) -> Void = { _ in }
    ) throws {
        let found = try identify(connection)
        guard found <= known else { throw MigrationError.newer(found: found, known: known) }
        try connection.useWriteAheadLog()
        guard found < known else { return }
        do {
            try connection.immediate {
                for (version, migration) in zip(1..., migrations) where version > found {
                    let tick = {
                        progress(version)
                        return true
                    }
                    try connection.ticking(every: 1_000_000, tick) {
                        progress(version)
                        try apply(migration, as: version, to: connection, now: now)
                    }
                }
            }
        } catch let error as SQLiteError where error.isMisfit {
            throw MigrationError.failed(found: found, known: known, error)
        }
    }

    private func apply(
        _ migration: Migration, as version: Int, to connection: Connection, now: String
    ) throws {
        // Another process may have applied it meanwhile.
        guard try self.version(connection) < version else { return }
        try connection.execute(
            """
            CREATE TABLE IF NOT EXISTS migrations (
                version INTEGER PRIMARY KEY, name TEXT NOT NULL, applied_at TEXT NOT NULL
            ) STRICT;
            PRAGMA application_id = \(applicationID);
            PRAGMA user_version = \(version);
            """)
        try connection.execute(migration.sql)
        try connection.run(
            "INSERT INTO migrations (version, name, applied_at) VALUES (?, ?, ?)",
            [version.value, migration.name.value, now.value])
    }

    /// Throws unless the schema is the current one, for read-only use.
    package func check(_ connection: Connection) throws {
        let found = try identify(connection)
        guard found <= known else { throw MigrationError.newer(found: found, known: known) }
        guard found == known else { throw MigrationError.older(found: found, known: known) }
    }

    /// Returns the schema version; 0 for a new database. Throws `MigrationError.foreign`.
    package func identify(_ connection: Connection) throws -> Int {
        // One snapshot, because another process may be migrating.
        try connection.deferred {
            let id = try connection.firstInt("PRAGMA application_id") ?? 0
            let tables = try connection.firstInt("SELECT count(*) FROM sqlite_schema") ?? 0
            guard id == Int(applicationID) || (id == 0 && tables == 0) else {
                throw MigrationError.foreign(applicationID: id)
            }
            return try version(connection)
        }
    }

    private func version(_ connection: Connection) throws -> Int {
        try connection.firstInt("PRAGMA user_version") ?? 0
    }
}
