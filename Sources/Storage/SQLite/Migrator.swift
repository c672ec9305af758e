/// A step of a schema.
package struct Migration: Sendable {
    /// From 1, without gaps.
    package let version: Int
    package let name: String
    package let sql: String

    package init(version: Int, name: String, sql: String) {
        self.version = version
        self.name = name
        self.sql = sql
    }
}

/// Why a database is left alone.
package enum MigrationError: Error, Hashable, Sendable {
    /// Another program's file.
    case foreign(applicationID: Int)
    case newer(found: Int, known: Int)
    case older(found: Int, known: Int)
}

/// Brings a database's schema up to date, or refuses it untouched.
package struct Migrator: Sendable {
    let applicationID: Int32
    let migrations: [Migration]

    package init(applicationID: Int32, migrations: [Migration]) {
        self.applicationID = applicationID
        self.migrations = migrations
    }

    package var known: Int { migrations.last?.version ?? 0 }

    /// Turns the write-ahead log on and applies what is missing, each migration together with its row in `migrations` in one transaction.
    /// - Parameters:
    ///   - now: for those rows.
    ///   - progress: called when a migration begins, with its version, and again and again while it works.
    package func migrate(
        _ connection: Connection, now: String, progress: (_ version: Int) -> Void = { _ in }
    ) throws {
        let found = try identify(connection)
        guard found <= known else { throw MigrationError.newer(found: found, known: known) }
        try connection.useWriteAheadLog()
        for migration in migrations where migration.version > found {
            progress(migration.version)
            try connection.ticking({ progress(migration.version) }) {
                try connection.immediate { try apply(migration, to: connection, now: now) }
            }
        }
    }

    private func apply(_ migration: Migration, to connection: Connection, now: String) throws {
        // Another process may have come first.
        guard try version(connection) < migration.version else { return }
        try connection.execute(
            """
            CREATE TABLE IF NOT EXISTS migrations (
                version INTEGER PRIMARY KEY, name TEXT NOT NULL, applied_at TEXT NOT NULL
            ) STRICT;
            PRAGMA application_id = \(applicationID);
            PRAGMA user_version = \(migration.version);
            """)
        try connection.execute(migration.sql)
        try connection.run(
            "INSERT INTO migrations (version, name, applied_at) VALUES (?, ?, ?)",
            [migration.version.value, migration.name.value, now.value])
    }

    /// For those who only read: the schema must be the one that is known.
    package func check(_ connection: Connection) throws {
        let found = try identify(connection)
        guard found <= known else { throw MigrationError.newer(found: found, known: known) }
        guard found == known else { throw MigrationError.older(found: found, known: known) }
    }

    /// The schema that a database has, 0 where it has none yet. Throws `MigrationError.foreign`.
    package func identify(_ connection: Connection) throws -> Int {
        // In one snapshot: another process may be migrating.
        try connection.reading {
            let id = try number("PRAGMA application_id", connection)
            let tables = try number("SELECT count(*) FROM sqlite_schema", connection)
            guard id == Int(applicationID) || (id == 0 && tables == 0) else {
                throw MigrationError.foreign(applicationID: id)
            }
            return try version(connection)
        }
    }

    private func version(_ connection: Connection) throws -> Int {
        try number("PRAGMA user_version", connection)
    }

    private func number(_ sql: String, _ connection: Connection) throws -> Int {
        try connection.first(sql) { try $0.int(0) } ?? 0
    }
}
