import Model
import SQLite

/// Pictures and their users. Reads a picture's address from the user's record here, because SQLite does not
/// allow JSON functions in triggers (`trusted_schema`).
package enum PictureRows {
    // MARK: In a commit of users

    /// Removes pictures that changed users no longer have, and makes new ones due. Call in a commit of users.
    /// - Parameter last: new users have higher numbers.
    static func follow(_ changes: RowChanges, usersAfter last: Int, _ connection: Connection) throws {
        if changes.changed > 0 {
            try connection.run(moveVersions)
            try connection.run(removeOutdated)
        }
        try want(
            of: "SELECT number FROM temp.touched_users UNION SELECT number FROM users WHERE number > ?",
            [last.value], connection)
    }

    /// Moves a photo from LDAP to the address of its entry's new version, so that the old one stays until the
    /// new one is fetched. Only such a photo is both due and without validators.
    package static let moveVersions = """
        WITH new AS MATERIALIZED (
            SELECT p.picture, \(url("p.size")) AS url
            FROM temp.touched_users t CROSS JOIN user_pictures p ON p.user = t.number
            CROSS JOIN user_records ON user_records.number = p.user
        )
        UPDATE OR IGNORE pictures SET url = new.url, due_ms = 0 FROM new
        WHERE number = picture AND pictures.url <> new.url AND instr(new.url, 'x-changed=') > 0
        AND substr(pictures.url, 1, instr(new.url, 'x-changed=')) = substr(new.url, 1, instr(new.url, 'x-changed='))
        """

    /// Removes pictures whose address a changed user no longer has. CROSS JOIN keeps the order of the joins,
    /// so that a change of one user does not read the pictures of all.
    package static let removeOutdated = """
        DELETE FROM user_pictures WHERE (user, size) IN (
            SELECT p.user, p.size FROM temp.touched_users t CROSS JOIN user_pictures p ON p.user = t.number
            CROSS JOIN user_records ON user_records.number = p.user
            WHERE \(url("p.size")) IS NOT (SELECT url FROM pictures WHERE number = p.picture)
        )
        """

    /// Removes what was fetched ahead of other sizes, in parts: overwriting all pictures takes long. Returns whether there
    /// is more to do.
    static func prefetch(_ sizes: Set<PictureSize>, _ connection: Connection) throws -> Bool {
        let before = try connection.rows("SELECT size FROM picture_sizes") { try $0.text(0) }
        guard Set(before) != Set(sizes.map(\.rawValue)) else { return false }
        let removed = try connection.run(
            """
            DELETE FROM user_pictures WHERE (user, size) IN (
                SELECT user, size FROM user_pictures WHERE size NOT IN (SELECT value FROM json_each(?)) AND (
                    size IN (SELECT size FROM picture_sizes)
                    OR picture IN (SELECT number FROM pictures WHERE bytes IS NULL)
                ) LIMIT \(part)
            )
            """, [.text(try json(sizes.map(\.rawValue)))])
        if removed > 0 { try BookRows.renewChangeToken(connection) }
        guard removed < part else { return true }
        try connection.run("DELETE FROM picture_sizes")
        for size in sizes {
            try connection.run("INSERT INTO picture_sizes (size) VALUES (?)", [size.rawValue.value])
        }
        try want(of: "SELECT number FROM users", [], connection)
        return false
    }

    /// Pictures per transaction.
    private static let part = 100

    /// Digests pictures that an earlier version cached. Returns the last one's number; nil if there are no more.
    static func digest(after number: Int, _ connection: Connection) throws -> Int? {
        let found = try connection.rows(
            """
            SELECT number, content FROM pictures JOIN picture_contents ON picture = number
            WHERE number > ? AND digest IS NULL ORDER BY number LIMIT \(part)
            """, [number.value]
        ) { (number: try $0.int(0), digest: FNV.stored(try $0.bytes(1))) }
        for picture in found {
            try connection.run(
                "UPDATE pictures SET digest = ? WHERE number = ?", [picture.digest, picture.number.value])
        }
        if !found.isEmpty { try BookRows.renewChangeToken(connection) }
        return found.last?.number
    }

    private static func want(of users: String, _ bindings: [Value], _ connection: Connection) throws {
        let wanted = "FROM user_records CROSS JOIN picture_sizes WHERE number IN (\(users))"
        guard try connection.firstInt("SELECT 1 FROM picture_sizes") != nil else { return }
        try connection.run(
            """
            INSERT OR IGNORE INTO pictures (url, due_ms)
            SELECT \(url("size")) AS url, 0 \(wanted) AND url IS NOT NULL
            """, bindings)
        try connection.run(
            """
            INSERT OR IGNORE INTO user_pictures (user, size, picture)
            SELECT user_records.number, size, (SELECT number FROM pictures WHERE url = \(url("size"))) AS picture
            \(wanted) AND picture IS NOT NULL
            """, bindings)
    }

    /// SQL for the address in a user's record.
    private static func url(_ size: String) -> String { "record ->> ('$.picture.' || \(size))" }

    // MARK: Fetching ahead

    static func due(_ query: DueQuery, _ connection: Connection) throws -> [DuePicture] {
        let leftOut = try query.leftOut.isEmpty ? nil : json(query.leftOut)
        func found(_ time: Timestamp, isAhead: Bool = false) throws -> [DuePicture] {
            try connection.rows(
                due(isCachedOnly: query.isCachedOnly, leavesOut: leftOut != nil, isAhead: isAhead),
                [time.milliseconds.value, query.limit.value] + (leftOut.map { [$0.value] } ?? [])
            ) {
                DuePicture(
                    url: try $0.text(0), validators: try validators($0, 1),
                    bytes: $0.isNull(3) ? nil : try $0.int(3))
            }
        }
        let usual = try found(query.before)
        guard usual.isEmpty, let latest = query.latest else { return usual }
        return try found(latest, isAhead: true)
    }

    package static func due(isCachedOnly: Bool, leavesOut: Bool, isAhead: Bool = false) -> String {
        let among = isCachedOnly ? "INDEXED BY pictures_cached WHERE bytes IS NOT NULL AND" : "WHERE"
        let others = """
            NOT EXISTS (SELECT 1 FROM json_each(?3) WHERE substr(url, 1, length(value)) = value
            AND substr(url, length(value) + 1, 1) IN ('', '/', '?', '#'))
            """
        return """
            SELECT url, etag, last_modified, bytes FROM pictures \(among)
            due_ms \(isAhead ? ">" : "<") ?1 \(leavesOut ? "AND \(others)" : "") ORDER BY due_ms LIMIT ?2
            """
    }

    package static let sumOfBytes = "SELECT ifnull(sum(bytes), 0) FROM pictures WHERE bytes IS NOT NULL"

    static func bytes(_ connection: Connection) throws -> Int {
        try connection.firstInt(sumOfBytes) ?? 0
    }

    static func settle(
        _ url: String, _ outcome: PictureOutcome, dueAt: Timestamp?, _ connection: Connection
    ) throws {
        let due = dueAt.map(\.milliseconds).value
        if outcome == .absent {
            let removed = try connection.run(
                "DELETE FROM picture_contents WHERE picture = (SELECT number FROM pictures WHERE url = ?)",
                [url.value])
            try connection.run(
                """
                UPDATE pictures SET etag = NULL, last_modified = NULL, content_type = NULL, bytes = NULL, digest = NULL
                WHERE url = ?
                """, [url.value])
            if removed > 0 { try BookRows.renewChangeToken(connection) }
        }
        guard case .fetched(let picture) = outcome else {
            try connection.run("UPDATE pictures SET due_ms = ? WHERE url = ?", [due, url.value])
            return
        }
        let digest = FNV.stored(picture.content)
        // Upstreams without validators send the same picture again and again.
        let isSame = try connection.firstInt(
            "SELECT 1 FROM pictures WHERE url = ? AND digest = ? AND content_type = ?",
            [url.value, digest, picture.contentType.value])
        if isSame == nil { try BookRows.renewChangeToken(connection) }
        let updated = try connection.run(
            """
            UPDATE pictures SET etag = ?, last_modified = ?, content_type = ?, bytes = ?, digest = ?, due_ms = ?
            WHERE url = ?
            """,
            [
                (picture.validators?.etag).value, (picture.validators?.lastModified).value,
                picture.contentType.value, picture.content.count.value, digest, due, url.value,
            ])
        guard updated > 0 else { return }
        try connection.run(
            """
            INSERT OR REPLACE INTO picture_contents (picture, content) SELECT number, ? FROM pictures WHERE url = ?
            """, [picture.content.value, url.value])
    }

    static func keep(
        _ kept: FoundPicture, dueAt: Timestamp?, maximumBytes: Int, _ connection: Connection
    ) throws {
        guard let url = kept.url, let picture = kept.picture,
            try bytes(connection) <= maximumBytes - picture.content.count
        else { return }
        let user = try connection.firstInt(
            "SELECT number FROM users JOIN user_records USING (number) WHERE id = ?1 AND \(Self.url("?2")) = ?3",
            [kept.userID.value, kept.size.rawValue.value, url.value])
        guard let user else { return }
        try connection.run("INSERT OR IGNORE INTO pictures (url) VALUES (?)", [url.value])
        try connection.run(
            """
            INSERT OR IGNORE INTO user_pictures (user, size, picture) SELECT ?, ?, number FROM pictures WHERE url = ?
            """, [user.value, kept.size.rawValue.value, url.value])
        try settle(url, .fetched(picture), dueAt: dueAt, connection)
    }

    // MARK: On demand

    /// Finds a user's picture. Without a size: the largest cached one, else the medium one, else any that
    /// upstream has.
    static func find(_ key: String, _ size: PictureSize?, _ connection: Connection) throws -> FoundPicture {
        var found: [UInt8]?
        do { found = try UserRows.find(key, connection) } catch CacheError.notFound {}
        let record = try found ?? UserRows.find(key, of: Set(UserKind.allCases), connection)
        let user = try decoded(User.self, from: String(decoding: record, as: UTF8.self))
        let named = PictureSize.allCases.filter { (size ?? $0) == $0 && user.picture?[$0] != nil }
        for size in named {
            let url = user.picture?[size]
            if let found = try url.flatMap({ try content(at: $0, connection) }) {
                return FoundPicture(
                    userID: user.id, size: size, url: url, picture: found.picture,
                    isOutdated: found.isOutdated)
            }
        }
        let next = named.contains(.medium) ? .medium : named.first ?? size ?? .medium
        return FoundPicture(userID: user.id, size: next, url: user.picture?[next])
    }

    static func content(
        at url: String, _ connection: Connection
    ) throws -> (picture: FetchedPicture, isOutdated: Bool)? {
        try connection.first(
            """
            SELECT content, content_type, etag, last_modified, due_ms
            FROM pictures JOIN picture_contents ON picture = number WHERE url = ?
            """, [url.value]
        ) {
            let picture = FetchedPicture(
                content: try $0.bytes(0), contentType: try $0.text(1), validators: try validators($0, 2))
            return (picture, picture.validators == nil && !$0.isNull(4))
        }
    }

    private static func validators(_ row: Row, _ column: Int) throws -> Validators? {
        let validators = Validators(
            etag: try row.textOrNil(column), lastModified: try row.textOrNil(column + 1))
        return validators == Validators() ? nil : validators
    }
}
