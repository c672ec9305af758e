import Model
import SQLite

/// Pictures, and whose they are. The address of a user's picture is in the user's record: JSON functions that SQLite keeps
/// out of triggers (`trusted_schema`) read it here.
package enum PictureRows {
    // MARK: With the users

    /// Within a commit of users: whoever has changed keeps no picture but those that they still have, and what is new is due.
    /// - Parameter last: the number after which those of new users come.
    static func follow(usersAfter last: Int, _ connection: Connection) throws {
        try connection.run(removeOutdated)
        try want(
            of: "SELECT number FROM temp.touched_users UNION SELECT number FROM users WHERE number > ?",
            [last.value], connection)
    }

    /// Joins that keep their order: one user's change must not read the pictures of all.
    package static let removeOutdated = """
        DELETE FROM user_pictures WHERE (user, size) IN (
            SELECT p.user, p.size FROM temp.touched_users t CROSS JOIN user_pictures p ON p.user = t.number
            CROSS JOIN users ON users.number = p.user
            WHERE \(url("p.size")) IS NOT (SELECT url FROM pictures WHERE number = p.picture)
        )
        """

    static func prefetch(_ sizes: Set<PictureSize>, _ connection: Connection) throws {
        let before = try connection.rows("SELECT size FROM picture_sizes") { try $0.text(0) }
        guard Set(before) != Set(sizes.map(\.rawValue)) else { return }
        try connection.run("DELETE FROM picture_sizes")
        for size in sizes {
            try connection.run("INSERT INTO picture_sizes (size) VALUES (?)", [size.rawValue.value])
        }
        // What is fetched stays; what is not wanted any more and was not fetched yet is never due again.
        try connection.run(
            """
            DELETE FROM user_pictures WHERE size NOT IN (SELECT size FROM picture_sizes)
            AND picture IN (SELECT number FROM pictures WHERE bytes IS NULL)
            """)
        try want(of: "SELECT number FROM users", [], connection)
    }

    private static func want(of users: String, _ bindings: [Value], _ connection: Connection) throws {
        let wanted = "FROM users CROSS JOIN picture_sizes WHERE users.number IN (\(users))"
        guard try connection.first("SELECT 1 FROM picture_sizes", [], { _ in true }) != nil else { return }
        try connection.run(
            """
            INSERT OR IGNORE INTO pictures (url, due_ms)
            SELECT \(url("size")) AS url, 0 \(wanted) AND url IS NOT NULL
            """, bindings)
        try connection.run(
            """
            INSERT OR IGNORE INTO user_pictures (user, size, picture)
            SELECT users.number, size, (SELECT number FROM pictures WHERE url = \(url("size"))) AS picture
            \(wanted) AND picture IS NOT NULL
            """, bindings)
    }

    /// The address in the record of a row of `users`.
    private static func url(_ size: String) -> String { "users.record ->> ('$.picture.' || \(size))" }

    // MARK: By themselves

    static func due(_ query: DueQuery, _ connection: Connection) throws -> [DuePicture] {
        let leftOut = try query.leftOut.isEmpty ? nil : json(query.leftOut)
        return try connection.rows(
            due(isCachedOnly: query.isCachedOnly, leavesOut: leftOut != nil),
            [query.before.milliseconds.value, query.limit.value] + (leftOut.map { [$0.value] } ?? [])
        ) {
            DuePicture(
                url: try $0.text(0), validators: try validators($0, 1),
                bytes: $0.isNull(3) ? nil : try $0.int(3))
        }
    }

    package static func due(isCachedOnly: Bool, leavesOut: Bool) -> String {
        let among = isCachedOnly ? "INDEXED BY pictures_cached WHERE bytes IS NOT NULL AND" : "WHERE"
        let others = "NOT EXISTS (SELECT 1 FROM json_each(?3) WHERE substr(url, 1, length(value)) = value)"
        return """
            SELECT url, etag, last_modified, bytes FROM pictures \(among)
            due_ms < ?1 \(leavesOut ? "AND \(others)" : "") ORDER BY due_ms LIMIT ?2
            """
    }

    package static let sumOfBytes = "SELECT ifnull(sum(bytes), 0) FROM pictures WHERE bytes IS NOT NULL"

    static func bytes(_ connection: Connection) throws -> Int {
        try connection.first(sumOfBytes) { try $0.int(0) } ?? 0
    }

    static func settle(
        _ url: String, _ outcome: PictureOutcome, dueAt: Timestamp?, _ connection: Connection
    ) throws {
        let due = dueAt.map(\.milliseconds).value
        guard case .fetched(let picture) = outcome else {
            try connection.run("UPDATE pictures SET due_ms = ? WHERE url = ?", [due, url.value])
            return
        }
        let updated = try connection.run(
            """
            UPDATE pictures SET etag = ?, last_modified = ?, content_type = ?, bytes = ?, due_ms = ? WHERE url = ?
            """,
            [
                (picture.validators?.etag).value, (picture.validators?.lastModified).value,
                picture.contentType.value, picture.content.count.value, due, url.value,
            ])
        guard updated > 0 else { return }
        try connection.run(
            """
            INSERT OR REPLACE INTO picture_contents (picture, content) SELECT number, ? FROM pictures WHERE url = ?
            """, [picture.content.value, url.value])
    }

    static func keep(
        _ kept: KeptPicture, dueAt: Timestamp?, maximumBytes: Int, _ connection: Connection
    ) throws {
        guard try bytes(connection) <= maximumBytes - kept.picture.content.count else { return }
        let user = try connection.first(
            "SELECT number FROM users WHERE id = ?1 AND \(Self.url("?2")) = ?3",
            [kept.userID.value, kept.size.rawValue.value, kept.url.value]
        ) { try $0.int(0) }
        guard let user else { return }
        try connection.run("INSERT OR IGNORE INTO pictures (url) VALUES (?)", [kept.url.value])
        try connection.run(
            """
            INSERT OR IGNORE INTO user_pictures (user, size, picture) SELECT ?, ?, number FROM pictures WHERE url = ?
            """, [user.value, kept.size.rawValue.value, kept.url.value])
        try settle(kept.url, .fetched(kept.picture), dueAt: dueAt, connection)
    }

    // MARK: For those who ask

    /// Without a size, the largest that is cached; else the medium one, or what there is.
    static func find(_ key: String, _ size: PictureSize?, _ connection: Connection) throws -> FoundPicture {
        let record = String(decoding: try UserRows.find(key, connection), as: UTF8.self)
        let user = try decoded(User.self, from: record)
        let named = PictureSize.allCases.filter { (size ?? $0) == $0 && user.picture?[$0] != nil }
        for size in named {
            let url = user.picture?[size]
            if let picture = try url.flatMap({ try content(at: $0, connection) }) {
                return FoundPicture(userID: user.id, size: size, url: url, picture: picture)
            }
        }
        let next = named.contains(.medium) ? .medium : named.first ?? size ?? .medium
        return FoundPicture(userID: user.id, size: next, url: user.picture?[next])
    }

    static func content(at url: String, _ connection: Connection) throws -> FetchedPicture? {
        try connection.first(
            """
            SELECT content, content_type, etag, last_modified
            FROM pictures JOIN picture_contents ON picture = number WHERE url = ?
            """, [url.value]
        ) {
            FetchedPicture(
                content: try $0.bytes(0), contentType: try $0.text(1), validators: try validators($0, 2))
        }
    }

    /// From that column on: `etag`, `last_modified`.
    private static func validators(_ row: Row, _ column: Int) throws -> Validators? {
        let validators = Validators(
            etag: try row.textOrNil(column), lastModified: try row.textOrNil(column + 1))
        return validators == Validators() ? nil : validators
    }
}
