import Model
import SQLite

/// The stamps of a directory's records as these were last read, by id; of those that are left out, by the digest of the id.
/// They move alone more often than the records, and are in no version of users.
enum Stamps {
    static func stage(_ stamps: [String: String], _ connection: Connection) throws {
        for (id, stamp) in stamps {
            try connection.run(
                "INSERT OR REPLACE INTO temp.staged_stamps (id, stamp) VALUES (?, ?)",
                [id.value, stamp.value])
        }
    }

    static func notePresent(_ ids: [String], _ connection: Connection) throws {
        for id in ids {
            try connection.run(
                "INSERT OR IGNORE INTO temp.present_users (number) SELECT number FROM users WHERE id = ?",
                [id.value])
        }
    }

    static func stored(_ ids: [String], _ connection: Connection) throws -> [String: String] {
        var stamps: [String: String] = [:]
        for id in ids {
            stamps[id] = try connection.first("SELECT stamp FROM user_stamps WHERE id = ?", [id.value]) {
                try $0.text(0)
            }
        }
        return stamps
    }

    static func commitList(_ connection: Connection) throws {
        try connection.run("DELETE FROM user_stamps WHERE id NOT IN (SELECT id FROM temp.staged_stamps)")
        try write(connection)
    }

    static func commitChanges(_ connection: Connection) throws {
        try connection.run(
            "DELETE FROM user_stamps WHERE id IN (SELECT id FROM temp.named_users WHERE is_gone)")
        try write(connection)
    }

    private static func write(_ connection: Connection) throws {
        try connection.run(
            """
            INSERT INTO user_stamps (id, stamp) SELECT id, stamp FROM temp.staged_stamps WHERE TRUE
            ON CONFLICT (id) DO UPDATE SET stamp = excluded.stamp WHERE stamp IS NOT excluded.stamp
            """)
    }
}
