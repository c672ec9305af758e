import Model
import SQLite

/// The records of a sync before its commit, in temporary tables of the write connection, in an unnamed file.
/// They end with the connection, so a killed daemon leaves nothing behind.
///
/// An unchanged page or list is staged as the same, without copying its records. An unchanged user is
/// staged as its number alone. A record is staged once: itself, or on an unchanged page. Cached records are
/// identified by their numbers, new ones by their ids.
enum Staging {
    static func create(_ connection: Connection) throws {
        try connection.execute(
            """
            PRAGMA temp.auto_vacuum = FULL;
            PRAGMA temp.secure_delete = OFF;
            PRAGMA temp.journal_mode = MEMORY;
            -- 16 MiB, because ids come in no order.
            PRAGMA temp.cache_size = -16384;
            CREATE TEMP TABLE staging (
                resource TEXT PRIMARY KEY, sync INTEGER NOT NULL, is_same INTEGER NOT NULL DEFAULT FALSE,
                -- Whether changes of the cached users are staged, or a list that is compared with those that were.
                is_changes INTEGER NOT NULL DEFAULT FALSE, is_compared INTEGER NOT NULL DEFAULT FALSE,
                -- Whether also those are compared who came and went.
                of_all INTEGER NOT NULL DEFAULT TRUE
            ) STRICT;
            CREATE TEMP TABLE named_users (id TEXT PRIMARY KEY, is_gone INTEGER NOT NULL) STRICT, WITHOUT ROWID;
            CREATE TEMP TABLE present_users (number INTEGER PRIMARY KEY) STRICT;
            CREATE TEMP TABLE staged_stamps (id TEXT PRIMARY KEY, stamp TEXT NOT NULL) STRICT, WITHOUT ROWID;
            -- number is null for those who are new; id and what follows are null for those who are cached as they are.
            CREATE TEMP TABLE staged_users (
                staged_row INTEGER PRIMARY KEY, number INTEGER, page INTEGER, id TEXT, username TEXT, email TEXT, gender TEXT,
                nationality TEXT, name_key TEXT, age_key INTEGER, registered_at TEXT, department_key TEXT, title_key TEXT,
                city_key TEXT, country_key TEXT, company_key TEXT, manager_key TEXT, words TEXT, digits TEXT, kind TEXT,
                record TEXT
            ) STRICT;
            CREATE UNIQUE INDEX temp.staged_users_by_number ON staged_users (number) WHERE number IS NOT NULL;
            CREATE UNIQUE INDEX temp.staged_users_by_id ON staged_users (id) WHERE number IS NULL;
            -- The order of new numbers, without reading the records.
            CREATE INDEX temp.staged_users_by_name ON staged_users (name_key, staged_row, page) WHERE number IS NULL;
            CREATE INDEX temp.staged_users_by_kind ON staged_users (kind) WHERE kind IS NOT NULL;
            CREATE TEMP TABLE staged_facts (
                staged_row INTEGER PRIMARY KEY, number INTEGER, page INTEGER, id TEXT, text TEXT, length INTEGER, record TEXT
            ) STRICT;
            CREATE UNIQUE INDEX temp.staged_facts_by_number ON staged_facts (number) WHERE number IS NOT NULL;
            CREATE UNIQUE INDEX temp.staged_facts_by_id ON staged_facts (id) WHERE number IS NULL;
            -- For a commit: who is new, and who changes, or goes if staged_row is null.
            CREATE TEMP TABLE new_users (
                number INTEGER PRIMARY KEY, staged_row INTEGER NOT NULL, page INTEGER
            ) STRICT;
            CREATE TEMP TABLE touched_users (number INTEGER PRIMARY KEY, staged_row INTEGER) STRICT;
            CREATE TEMP TABLE staged_pages (
                resource TEXT, number INTEGER, key TEXT NOT NULL, etag TEXT, last_modified TEXT, digest TEXT, next TEXT,
                total INTEGER, records INTEGER NOT NULL, left_out TEXT, is_cut INTEGER NOT NULL,
                is_same INTEGER NOT NULL, PRIMARY KEY (resource, number)
            ) STRICT, WITHOUT ROWID;
            """)
    }

    /// Clears the staging area and assigns it to this sync. Call in a transaction.
    static func begin(_ resource: Resource, sync: Int, _ connection: Connection) throws {
        try end(resource, connection)
        try connection.run(
            "INSERT INTO temp.staging (resource, sync) VALUES (?, ?)",
            [resource.rawValue.value, sync.value])
    }

    /// Clears the staging area of a sync that starts again, with a list.
    static func beginAgain(_ resource: Resource, sync: Int, _ connection: Connection) throws {
        try connection.deferred {
            try check(resource, sync: sync, connection)
            try clear(resource, connection)
            try connection.run("UPDATE temp.staging SET is_changes = FALSE WHERE resource = 'users'")
        }
    }

    /// Drops what a sync has staged. Does nothing if a later sync has taken over the staging area.
    static func drop(_ resource: Resource, sync: Int, _ connection: Connection) throws {
        try connection.deferred {
            if try owner(of: resource, connection) == sync { try end(resource, connection) }
        }
    }

    /// Ends the sync's use of the staging area. Call in the transaction of the commit.
    static func end(_ resource: Resource, _ connection: Connection) throws {
        try clear(resource, connection)
        if resource == .users { try connection.run("DELETE FROM temp.named_users") }
        try connection.run("DELETE FROM temp.staging WHERE resource = ?", [resource.rawValue.value])
    }

    /// Throws if a later sync has taken over the staging area, or if the connection was reopened, which
    /// empties it.
    static func check(_ resource: Resource, sync: Int, _ connection: Connection) throws {
        guard let owner = try owner(of: resource, connection) else {
            throw CacheError.storage("the fetched records are lost, because the cache had to be reopened")
        }
        guard owner == sync else { throw CancellationError() }
    }

    private static func owner(of resource: Resource, _ connection: Connection) throws -> Int? {
        try connection.firstInt(
            "SELECT sync FROM temp.staging WHERE resource = ?", [resource.rawValue.value])
    }

    /// - Parameters:
    ///   - rows: the page's records.
    ///   - page: must not be cached if it has no version.
    /// - Returns: number of records that were already staged.
    static func insert(
        _ rows: [[Value]], of resource: Resource, on page: Page<some Sendable>, _ number: Int, sync: Int,
        _ connection: Connection
    ) throws -> Int {
        let columns = ["number", "page"] + columns(resource)
        let insert = """
            INSERT OR IGNORE INTO temp.\(table(resource)) (\(columns.joined(separator: ", ")))
            SELECT \(Array(repeating: "?", count: columns.count).joined(separator: ", "))
            WHERE NOT \(isSame(resource, "?1"))
            """
        return try connection.deferred {
            try check(resource, sync: sync, connection)
            let isFirst = try connection.firstInt("SELECT 1 FROM \(resource) LIMIT 1") == nil
            let pageNumber = page.known.map { _ in number }.value
            var duplicates = 0
            for row in rows {
                let cached = try isFirst ? nil : find(row, resource, connection)
                let staged = cached?.isSame == true ? row.map { _ in Value.null } : row
                let bindings = [cached.map(\.number).value, pageNumber] + staged
                if try connection.run(insert, bindings) == 0 { duplicates += 1 }
            }
            try Stamps.stage(page.stamps, connection)
            if let known = page.known, duplicates == 0 {
                try keep(page, number, known, of: resource, isSame: false, connection)
            }
            return duplicates
        }
    }

    /// The number of a cached record, and whether it need not be copied. A fact is always copied, because it
    /// may be removed during the sync.
    static func find(
        _ row: [Value], _ resource: Resource, _ connection: Connection
    ) throws -> (number: Int, isSame: Bool)? {
        switch resource {
        case .users: try connection.first(UserRow.find, row) { (try $0.int(0), try $0.int(1) != 0) }
        case .facts:
            try connection.firstInt("SELECT number FROM facts WHERE id = ?", [row[0]]).map { ($0, false) }
        }
    }

    /// - Parameter known: the page's new version.
    /// - Returns: number of records that were already staged; nil if the page is no longer cached.
    static func stageSame(
        page number: Int, known: KnownPage, of resource: Resource, sync: Int, _ connection: Connection
    ) throws -> Int? {
        try connection.deferred {
            try check(resource, sync: sync, connection)
            guard let page = try Pages.find(number, of: resource, connection) else { return nil }
            guard try repeats(number, of: resource, connection) else {
                try keep(page, number, known, of: resource, isSame: true, connection)
                return 0
            }
            let inserted = try connection.run(
                """
                INSERT OR IGNORE INTO temp.\(table(resource)) (number)
                SELECT number FROM page_\(resource) WHERE page = ? ORDER BY number
                """, [number.value])
            return page.count - inserted
        }
    }

    /// Stages all cached records unchanged.
    /// - Returns: number of records.
    static func stageSameList(_ resource: Resource, sync: Int, _ connection: Connection) throws -> Int {
        try connection.deferred {
            try check(resource, sync: sync, connection)
            try connection.run(
                "UPDATE temp.staging SET is_same = TRUE WHERE resource = ?", [resource.rawValue.value])
            return try connection.firstInt("SELECT count(*) FROM \(resource)") ?? 0
        }
    }

    /// Whether all cached records are staged unchanged.
    static func isSameList(_ resource: Resource, _ connection: Connection) throws -> Bool {
        try connection.firstInt(
            "SELECT is_same FROM temp.staging WHERE resource = ?", [resource.rawValue.value]) == 1
    }

    /// Whether a record of this cached page is already staged.
    private static func repeats(_ page: Int, of resource: Resource, _ connection: Connection) throws -> Bool {
        guard try hasRows(resource, connection) else { return false }
        return try connection.firstInt(
            """
            SELECT 1 FROM page_\(resource) p JOIN temp.\(table(resource)) s ON s.number = p.number WHERE p.page = ?1
            LIMIT 1
            """, [page.value]) != nil
    }

    /// Whether records are staged in addition to those on unchanged pages.
    static func hasRows(_ resource: Resource, _ connection: Connection) throws -> Bool {
        try connection.firstInt("SELECT EXISTS (SELECT 1 FROM temp.\(table(resource)))") == 1
    }

    static func recordsThatAreSame(_ resource: Resource, _ connection: Connection) throws -> Int {
        try connection.firstInt(
            "SELECT ifnull(sum(records), 0) FROM temp.staged_pages WHERE resource = ? AND is_same",
            [resource.rawValue.value]) ?? 0
    }

    /// SQL condition: the row with this number is on an unchanged page.
    static func isSame(_ resource: Resource, _ number: String) -> String {
        """
        EXISTS (
            SELECT 1 FROM page_\(resource) p JOIN temp.staged_pages same
            ON same.resource = '\(resource)' AND same.number = p.page AND same.is_same WHERE p.number = \(number)
        )
        """
    }

    /// Stages a page. Callers do not keep one that repeats a record of an earlier page, so that it is fetched
    /// in full each time: the cached record is the earlier page's, and this page must provide it if the
    /// earlier one drops it.
    private static func keep(
        _ page: Page<some Sendable>, _ number: Int, _ known: KnownPage, of resource: Resource, isSame: Bool,
        _ connection: Connection
    ) throws {
        let columns = Pages.columns.joined(separator: ", ")
        let places = Array(repeating: "?", count: Pages.columns.count).joined(separator: ", ")
        try connection.run(
            "INSERT INTO temp.staged_pages (\(columns), is_same) VALUES (\(places), ?)",
            try page.values(of: resource, number, known) + [isSame.value])
    }

    private static func clear(_ resource: Resource, _ connection: Connection) throws {
        try connection.run("DELETE FROM temp.\(table(resource))")
        try connection.run("DELETE FROM temp.staged_pages WHERE resource = ?", [resource.rawValue.value])
        if resource == .users {
            try connection.run("DELETE FROM temp.new_users")
            try connection.run("DELETE FROM temp.touched_users")
            try connection.run("DELETE FROM temp.present_users")
            try connection.run("DELETE FROM temp.staged_stamps")
        }
    }

    /// A query for the number and page of each staged record, once its row is written.
    static func numbered(_ resource: Resource) -> String {
        switch resource {
        case .users:
            """
            SELECT number, page FROM temp.staged_users WHERE number IS NOT NULL
            UNION ALL SELECT number, page FROM temp.new_users
            """
        // A new fact may have been added during the sync, with its own number.
        case .facts: "SELECT facts.number, page FROM temp.staged_facts JOIN facts USING (id)"
        }
    }

    private static func table(_ resource: Resource) -> String { "staged_\(resource)" }

    private static func columns(_ resource: Resource) -> [String] {
        switch resource {
        case .users: UserRow.columns + ["record"]
        case .facts: FactRows.columns
        }
    }
}
