import Migrations
import SQLite

/// The result of examining a cache file, which other processes may have open.
package enum CacheExamination: Hashable, Sendable {
    case sound(schema: Int)
    /// The time was up before any damage was found.
    case unfinished(schema: Int)
    case corrupt(String)
    /// Another program's file, or damaged in its header.
    case noDatabase
    /// Empty.
    case blank
    case foreign
    case newer(schema: Int, known: Int)
    case older(schema: Int, known: Int)
    /// Can't be opened or read.
    case unreadable(String)

    /// Opens the file read-only and runs SQLite's check.
    /// - Parameter limit: maximum time of the check, which reads the whole file.
    package static func of(_ path: String, within limit: Duration) async -> CacheExamination {
        do {
            let database = Database { try CacheFile.openToRead(path) }
            let finding = try await database.run { try examine($0, within: limit) }
            await database.close()
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
        // Checked first: damage is worse than an unknown schema.
        let damage: String?
        do {
            damage = try connection.within(limit) { try connection.damage() }
        } catch let error as SQLiteError where error.isInterrupted {
            return verdict(schema, migrator.known, otherwise: .unfinished(schema: schema))
        }
        if let damage { return .corrupt(damage) }
        return verdict(schema, migrator.known, otherwise: .sound(schema: schema))
    }

    private static func verdict(_ schema: Int, _ known: Int, otherwise: Self) -> Self {
        if schema > known { return .newer(schema: schema, known: known) }
        return schema < known ? .older(schema: schema, known: known) : otherwise
    }
}
