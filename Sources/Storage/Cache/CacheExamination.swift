import Migrations
import SQLite

/// What a look at a cache file from outside finds, whoever else has it open.
package enum CacheExamination: Hashable, Sendable {
    case sound(schema: Int)
    /// No damage was found in the time that there was.
    case unfinished(schema: Int)
    case corrupt(String)
    /// Another program's, or damaged where a cache says what it is.
    case noDatabase
    /// Nothing is in it.
    case blank
    case foreign
    case newer(schema: Int, known: Int)
    case older(schema: Int, known: Int)
    /// It can't be opened or read.
    case unreadable(String)

    /// Opens the file read-only and has SQLite check it.
    /// - Parameter limit: for the check, which reads all of the file.
    package static func of(_ path: String, within limit: Duration) async -> CacheExamination {
        do {
            let (connection, asFound) = try CacheFile.openToRead(path)
            let database = Database(connection)
            let finding = try await database.run { try examine($0, within: limit) }
            await database.close()
            try asFound?.refuseChanged()
            return finding
        } catch let error as SQLiteError {
            if error.isNotADatabase { return .noDatabase }
            return error.isCorrupt ? .corrupt(error.reason) : .unreadable(error.reason)
        } catch {
            return .unreadable("\(error)")
        }
    }

    private static func examine(_ connection: Connection, within limit: Duration) throws -> Self {
        let migrator = Migrator(applicationID: applicationID, migrations: migrations)
        let schema: Int
        do {
            schema = try migrator.identify(connection)
        } catch MigrationError.foreign {
            return .foreign
        }
        guard schema > 0 else { return .blank }
        // Whatever its schema: that it is damaged is the worse news.
        let damage: String?
        do {
            damage = try connection.within(limit) {
                try connection.first("PRAGMA quick_check(1)") { try $0.text(0) }
            }
        } catch let error as SQLiteError where error.isInterrupted {
            return verdict(schema, migrator.known, otherwise: .unfinished(schema: schema))
        }
        if let damage, damage != "ok" { return .corrupt(finding(in: damage)) }
        return verdict(schema, migrator.known, otherwise: .sound(schema: schema))
    }

    /// In one line, without the one above it, `*** in database main ***`.
    private static func finding(in report: String) -> String {
        report.split(separator: "\n").filter { !$0.hasPrefix("***") }.joined(separator: "; ")
    }

    private static func verdict(_ schema: Int, _ known: Int, otherwise: Self) -> Self {
        if schema > known { return .newer(schema: schema, known: known) }
        return schema < known ? .older(schema: schema, known: known) : otherwise
    }
}
