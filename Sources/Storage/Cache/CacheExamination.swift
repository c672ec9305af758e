import SQLite

/// The result of examining a cache file, which other processes may have open.
package enum CacheExamination: Hashable, Sendable {
    case sound(schema: Int)
    /// Time ran out before any damage was found.
    case unfinished(schema: Int)
    case corrupt(String)
    /// The file belongs to another program, or its header is damaged.
    case noDatabase
    /// The file is empty.
    case blank
    case foreign
    case newer(schema: Int, known: Int)
    case older(schema: Int, known: Int)
    case unreadable(String)

    /// Opens the file read-only and runs SQLite's check.
    /// - Parameter limit: maximum time of the check, which reads the whole file.
    package static func of(_ path: String, within limit: Duration) async -> CacheExamination {
        let database = Database { try CacheFile.openToRead(path) }
        let finding = await examine(database, within: limit)
        await database.close()
        return finding
    }

    private static func examine(_ database: Database, within limit: Duration) async -> Self {
        do {
            let schema = try await database.run(Migrator.cache.identify)
            guard schema > 0 else { return .blank }
            database.interrupt(after: limit)
            // Checked first: damage is worse than an unknown schema.
            do {
                if let damage = try await database.run({ try $0.damage() }) { return .corrupt(damage) }
            } catch let error as SQLiteError where error.isInterrupted {
                return verdict(schema, Migrator.cache.known, otherwise: .unfinished(schema: schema))
            }
            return verdict(schema, Migrator.cache.known, otherwise: .sound(schema: schema))
        } catch MigrationError.foreign {
            return .foreign
        } catch let error as SQLiteError {
            if error.isNotADatabase { return .noDatabase }
            return error.isCorrupt ? .corrupt(error.reason) : .unreadable(error.reason)
        } catch {
            return .unreadable("\(error)")
        }
    }

    private static func verdict(_ schema: Int, _ known: Int, otherwise: Self) -> Self {
        if schema > known { return .newer(schema: schema, known: known) }
        return schema < known ? .older(schema: schema, known: known) : otherwise
    }
}
