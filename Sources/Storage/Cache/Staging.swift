import Model
import SQLite

/// The records of a sync before its commit: temporary tables of the write connection, in an unnamed file. They end
/// with the connection, so a killed daemon leaves nothing behind.
enum Staging {
    static func create(_ connection: Connection) throws {
        try connection.execute(
            """
            PRAGMA temp.auto_vacuum = FULL;
            PRAGMA temp.secure_delete = OFF;
            CREATE TEMP TABLE staging (resource TEXT PRIMARY KEY, sync INTEGER NOT NULL) STRICT;
            CREATE TEMP TABLE staged_users (
                id TEXT PRIMARY KEY, username TEXT, email TEXT, gender TEXT, nationality TEXT, department TEXT,
                name_key TEXT NOT NULL, age_key INTEGER, registered_at TEXT, words TEXT NOT NULL, digits TEXT,
                record TEXT NOT NULL, page INTEGER
            ) STRICT;
            CREATE TEMP TABLE touched_users (number INTEGER PRIMARY KEY, is_removed INTEGER NOT NULL) STRICT;
            CREATE TEMP TABLE staged_facts (
                id TEXT PRIMARY KEY, text TEXT NOT NULL, length INTEGER NOT NULL, record TEXT NOT NULL, page INTEGER
            ) STRICT;
            CREATE TEMP TABLE staged_pages (
                resource TEXT, number INTEGER, key TEXT NOT NULL, etag TEXT, last_modified TEXT, next TEXT, total INTEGER,
                records INTEGER NOT NULL, PRIMARY KEY (resource, number)
            ) STRICT, WITHOUT ROWID;
            """)
    }

    /// Call in a transaction.
    static func begin(_ resource: Resource, sync: Int, _ connection: Connection) throws {
        try clear(resource, connection)
        try connection.run(
            "INSERT OR REPLACE INTO temp.staging (resource, sync) VALUES (?, ?)",
            [resource.rawValue.value, sync.value])
    }

    /// Of a sync that is not committed.
    static func drop(_ resource: Resource, sync: Int, _ connection: Connection) throws {
        try connection.deferred {
            guard try owner(of: resource, connection) == sync else { return }
            try end(resource, connection)
        }
    }

    /// Call in the transaction of the commit.
    static func end(_ resource: Resource, _ connection: Connection) throws {
        try clear(resource, connection)
        try connection.run("DELETE FROM temp.staging WHERE resource = ?", [resource.rawValue.value])
    }

    /// Throws if a later sync has taken over the staging area, or if the connection was opened anew, which empties it.
    static func check(_ resource: Resource, sync: Int, _ connection: Connection) throws {
        guard let owner = try owner(of: resource, connection) else {
            throw CacheError.storage("what was fetched is lost, because the cache had to be opened anew")
        }
        guard owner == sync else { throw CancellationError() }
    }

    private static func owner(of resource: Resource, _ connection: Connection) throws -> Int? {
        try connection.firstInt(
            "SELECT sync FROM temp.staging WHERE resource = ?", [resource.rawValue.value])
    }

    /// - Parameter page: the page of all these records; nil if upstream sends no validators for it.
    /// - Returns: number of records that were already staged.
    static func insert(
        _ rows: some Sequence<[Value]>, of resource: Resource, on page: CachedPage?, sync: Int,
        _ connection: Connection
    ) throws -> Int {
        let columns = columns(resource) + ["page"]
        let places = Array(repeating: "?", count: columns.count).joined(separator: ", ")
        let insert = """
            INSERT OR IGNORE INTO temp.\(table(resource)) (\(columns.joined(separator: ", "))) VALUES (\(places))
            """
        let number = page.map(\.number).value
        return try connection.deferred {
            try check(resource, sync: sync, connection)
            var duplicates = 0
            for row in rows where try connection.run(insert, row + [number]) == 0 { duplicates += 1 }
            if let page, duplicates == 0 { try keep(page, of: resource, connection) }
            return duplicates
        }
    }

    /// Stages the cached records of a page.
    /// - Returns: number of records that were already staged; nil if the page is no longer cached.
    static func insertCached(
        page number: Int, of resource: Resource, sync: Int, _ connection: Connection
    ) throws -> Int? {
        let columns = columns(resource)
        let cached = columns.map { "cached.\($0)" }
        return try connection.deferred {
            try check(resource, sync: sync, connection)
            guard let page = try Pages.find(number, of: resource, connection) else { return nil }
            let inserted = try connection.run(
                """
                INSERT OR IGNORE INTO temp.\(table(resource)) (\(columns.joined(separator: ", ")), page)
                SELECT \(cached.joined(separator: ", ")), page
                FROM page_\(resource) JOIN \(resource) AS cached USING (number) WHERE page = ? ORDER BY number
                """, [number.value])
            if inserted == page.records { try keep(page, of: resource, connection) }
            return page.records - inserted
        }
    }

    /// Does not keep a page that repeats a record of an earlier page, so it is fetched in full each time: the cached
    /// record is the earlier page's, and this page must provide it if the earlier one drops it.
    private static func keep(_ page: CachedPage, of resource: Resource, _ connection: Connection) throws {
        let columns = Pages.columns.joined(separator: ", ")
        let places = Array(repeating: "?", count: Pages.columns.count).joined(separator: ", ")
        try connection.run(
            "INSERT INTO temp.staged_pages (\(columns)) VALUES (\(places))", try page.values(of: resource))
    }

    private static func clear(_ resource: Resource, _ connection: Connection) throws {
        try connection.run("DELETE FROM temp.\(table(resource))")
        try connection.run("DELETE FROM temp.staged_pages WHERE resource = ?", [resource.rawValue.value])
    }

    private static func table(_ resource: Resource) -> String { "staged_\(resource)" }

    private static func columns(_ resource: Resource) -> [String] {
        switch resource {
        case .users: UserRow.columns
        case .facts: FactRows.columns
        }
    }
}
