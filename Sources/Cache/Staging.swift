import Model
import SQLite

/// Where the records of a sync wait for its commit: temporary tables of the writer's connection,
/// which vanish with it, so that a killed daemon leaves none of them behind. They are kept in a file that has no name and
/// grows and shrinks with them.
enum Staging {
    static func create(_ connection: Connection) throws {
        try connection.execute(
            """
            PRAGMA temp.auto_vacuum = FULL;
            PRAGMA temp.secure_delete = OFF;
            CREATE TEMP TABLE staging (resource TEXT PRIMARY KEY, sync INTEGER NOT NULL) STRICT;
            CREATE TEMP TABLE staged_users (
                id TEXT PRIMARY KEY, username TEXT, email TEXT, gender TEXT, nationality TEXT, name_key TEXT NOT NULL,
                age INTEGER, registered_at TEXT, words TEXT NOT NULL, record TEXT NOT NULL
            ) STRICT;
            CREATE TEMP TABLE touched_users (number INTEGER PRIMARY KEY, is_removed INTEGER NOT NULL) STRICT;
            CREATE TEMP TABLE staged_facts (
                id TEXT PRIMARY KEY, text TEXT NOT NULL, length INTEGER NOT NULL, record TEXT NOT NULL
            ) STRICT;
            """)
    }

    static func begin(_ resource: Resource, sync: Int, _ connection: Connection) throws {
        try connection.immediate {
            try clear(resource, connection)
            try connection.run(
                "INSERT OR REPLACE INTO temp.staging (resource, sync) VALUES (?, ?)",
                [resource.rawValue.value, sync.value])
        }
    }

    /// Within the transaction of the commit.
    static func end(_ resource: Resource, _ connection: Connection) throws {
        try clear(resource, connection)
        try connection.run("DELETE FROM temp.staging WHERE resource = ?", [resource.rawValue.value])
    }

    /// A sync that lost the staging area to a later one has nothing more to say.
    static func check(_ resource: Resource, sync: Int, _ connection: Connection) throws {
        let owner = try connection.first(
            "SELECT sync FROM temp.staging WHERE resource = ?", [resource.rawValue.value]
        ) { try $0.int(0) }
        guard owner == sync else { throw CancellationError() }
    }

    /// - Returns: how many were there already.
    static func insert(
        _ rows: some Sequence<[Value]>, of resource: Resource, sync: Int, _ connection: Connection
    ) throws -> Int {
        let columns =
            switch resource {
            case .users: UserRow.columns
            case .facts: FactRows.columns
            }
        let places = Array(repeating: "?", count: columns.count).joined(separator: ", ")
        let insert = """
            INSERT OR IGNORE INTO temp.\(table(resource)) (\(columns.joined(separator: ", "))) VALUES (\(places))
            """
        return try connection.immediate {
            try check(resource, sync: sync, connection)
            var duplicates = 0
            for row in rows where try connection.run(insert, row) == 0 { duplicates += 1 }
            return duplicates
        }
    }

    private static func clear(_ resource: Resource, _ connection: Connection) throws {
        try connection.run("DELETE FROM temp.\(table(resource))")
    }

    private static func table(_ resource: Resource) -> String { "staged_\(resource.rawValue)" }
}
