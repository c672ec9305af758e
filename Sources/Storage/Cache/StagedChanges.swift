import Model
import SQLite

/// The changes of users in a sync before its commit. They are staged as a list's records are; of an id that comes twice, the
/// last one counts. Those who go are kept by their ids.
enum StagedChanges {
    /// - Returns: number of those who are gone, and whether a record can't be taken without the full list.
    static func insert(
        _ page: Page<User>, sync: Int, _ userRow: UserRow, _ connection: Connection
    ) throws -> (gone: Int, needsList: Bool) {
        let columns = ["number"] + UserRow.columns + ["record"]
        let insert = """
            INSERT INTO temp.staged_users (\(columns.joined(separator: ", ")))
            VALUES (\(Array(repeating: "?", count: columns.count).joined(separator: ", ")))
            """
        return try connection.deferred {
            try Staging.check(.users, sync: sync, connection)
            try connection.run("UPDATE temp.staging SET is_changes = TRUE WHERE resource = 'users'")
            var (gone, needsList) = (page.gone[...], false)
            func removeGone(before number: Int) throws {
                while let next = gone.first, next.records <= number {
                    try remove(next.id, connection)
                    try name(next.id, isGone: true, connection)
                    gone.removeFirst()
                }
            }
            for (number, var user) in page.records.enumerated() {
                try removeGone(before: number)
                if let lacking = page.lacking[number] {
                    if let known = try record(of: user.id, connection) {
                        user.take(lacking.absent, from: known)
                        var same = user
                        same.take(lacking.divided, from: known)
                        // Somebody without a first name may have a name that is made of other fields.
                        if user.name.first.isEmpty, !naming.isDisjoint(with: lacking.absent) {
                            same.take(Array(naming), from: known)
                        }
                        needsList = needsList || same != user
                    } else {
                        needsList = needsList || lacking.isOfKnown
                    }
                }
                try remove(user.id, connection)
                let row = userRow.values(user)
                let cached = try Staging.find(row, .users, connection)
                let staged = cached?.isSame == true ? row.map { _ in Value.null } : row
                try connection.run(insert, [cached.map(\.number).value] + staged)
                try name(user.id, isGone: false, connection)
            }
            try removeGone(before: .max)
            try Stamps.stage(page.stamps, connection)
            try Stamps.notePresent(page.present, connection)
            return (try page.gone.count + (page.namesAll ? nameLacking(connection) : 0), needsList)
        }
    }

    private static let naming: Set<UserField> = [.given, .family, .displayName, .username, .email]

    /// Names those as gone who are neither present nor named.
    private static func nameLacking(_ connection: Connection) throws -> Int {
        try connection.run(
            """
            INSERT INTO temp.named_users (id, is_gone) SELECT id, TRUE FROM users
            WHERE number NOT IN (SELECT number FROM temp.present_users) AND id NOT IN (SELECT id FROM temp.named_users)
            -- Lists decide about those who are missing.
            AND missing_since_ms IS NULL
            """)
    }

    /// Goes on with the full list, which the commit compares with the changes that were staged.
    static func beginComparedList(sync: Int, ofAll: Bool, _ connection: Connection) throws {
        try Staging.beginAgain(.users, sync: sync, connection)
        try connection.run(
            "UPDATE temp.staging SET is_compared = TRUE, of_all = ? WHERE resource = 'users'", [ofAll.value])
    }

    /// Those of the ids that the changes name.
    static func named(_ ids: [String], _ connection: Connection) throws -> Set<String> {
        Set(
            try connection.rows(
                "SELECT id FROM temp.named_users WHERE id IN (SELECT value FROM json_each(?))",
                [.text(try json(ids))]
            ) { try $0.text(0) })
    }

    static func exist(_ connection: Connection) throws -> Bool {
        try connection.firstInt("SELECT is_changes FROM temp.staging WHERE resource = 'users'") == 1
    }

    /// Users who change by a full list although no change has named them, in fields that changes tell of; nil if the list is
    /// not compared. Call when it is known who changes.
    static func unnamed(_ connection: Connection) throws -> [String]? {
        guard try connection.firstInt("SELECT is_compared FROM temp.staging WHERE resource = 'users'") == 1
        else { return nil }
        let ofAll = "(SELECT of_all FROM temp.staging WHERE resource = 'users')"
        // A stamp that moved since the changes were read would have named the user.
        let hasMoved = { (id: String) in
            """
            EXISTS (
                SELECT 1 FROM temp.staged_stamps n LEFT JOIN user_stamps o ON o.id = n.id
                WHERE n.id = \(id) AND n.stamp IS NOT o.stamp
            )
            """
        }
        let told = { (record: String) in "json_remove(\(record), \(untold))" }
        return try connection.rows(
            """
            SELECT u.id FROM temp.touched_users t CROSS JOIN users u ON u.number = t.number
            CROSS JOIN user_records r ON r.number = t.number
            LEFT JOIN temp.staged_users s ON s.staged_row = t.staged_row
            WHERE u.id NOT IN (SELECT id FROM temp.named_users) AND \(told("r.record")) IS NOT \(told("s.record"))
            AND (s.staged_row IS NOT NULL OR \(ofAll)) AND NOT \(hasMoved("u.id"))
            UNION ALL SELECT c.id FROM temp.staged_users c
            WHERE c.number IS NULL AND c.id NOT IN (SELECT id FROM temp.named_users) AND \(ofAll)
            AND NOT \(hasMoved("c.id"))
            LIMIT \(TrackedChanges.mostUnnamed)
            """
        ) { try $0.text(0) }
    }

    /// What moves without a change of the user: the age, what another user's record says of the manager, and pictures.
    private static let untold = "'$.age', '$.manager', '$.picture', '$.updated_at'"

    /// The record as it is staged, or else cached; nil if the id is new, or goes.
    private static func record(of id: String, _ connection: Connection) throws -> User? {
        let isGone = try connection.firstInt("SELECT is_gone FROM temp.named_users WHERE id = ?", [id.value])
        guard isGone != 1 else { return nil }
        let records = """
            SELECT record FROM temp.staged_users WHERE number IS NULL AND id = ?1
            UNION ALL SELECT record FROM temp.staged_users
            WHERE number = (SELECT number FROM users WHERE id = ?1) AND id IS NOT NULL
            UNION ALL SELECT record FROM users JOIN user_records USING (number) WHERE id = ?1
            """
        return try connection.first(records, [id.value]) { try $0.text(0) }.map {
            try decoded(User.self, from: $0)
        }
    }

    private static func remove(_ id: String, _ connection: Connection) throws {
        try connection.run("DELETE FROM temp.staged_users WHERE number IS NULL AND id = ?", [id.value])
        try connection.run(
            "DELETE FROM temp.staged_users WHERE number = (SELECT number FROM users WHERE id = ?)", [id.value]
        )
    }

    private static func name(_ id: String, isGone: Bool, _ connection: Connection) throws {
        try connection.run(
            "INSERT OR REPLACE INTO temp.named_users (id, is_gone) VALUES (?, ?)", [id.value, isGone.value])
    }
}
