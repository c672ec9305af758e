import Migrations
import Model
import SQLite

/// The cache: users, facts, pictures, the history of states, and what is known of upstream's pages, in one
/// SQLite file.
///
/// In: records of a sync, which are staged and then committed at once with the transition; and queries.
/// Out: pages of rows as stored JSON, freshness, and CacheError.
///
/// Start: CacheWriter.swift and CacheReader.swift have all that can be asked. A sync's records go through
/// Staging.swift to UserRows.swift or FactRows.swift. UserRow.swift makes the row of a user with what it is
/// found and sorted by, in letters folded by TextFolding; UserQuery.swift and UserSearch.swift find it. The
/// schema is in Migrations, at the top level.
///
/// Threads: the writer has a thread of its own, "sqlite"; reads run on up to six, "sqlite reads", and do not
/// wait for the writer. Only one process writes (CacheLock.swift).
package struct Cache: Sendable {
    package let writer: CacheWriter
    package let reader: CacheReader
    package let pictures: PictureCache

    package func close() async {
        await reader.close()
        await writer.close()
    }
}

extension Cache {
    /// Opens the cache at `path`; creates the file, its directory and its schema if they are missing.
    /// - Parameters:
    ///   - path: a file, or `:memory:`.
    ///   - newEpoch: epoch of the sequence of transitions, for a new cache.
    ///   - now: the wall clock, for ages.
    ///   - random: returns a random number in a range, to choose a fact.
    ///   - set: changes the options.
    package static func live(
        path: String, newEpoch: String, now: @escaping @Sendable () -> Timestamp,
        random: @escaping @Sendable (Range<Int>) -> Int,
        set: (inout Options) -> Void = { _ in }
    ) async throws -> Cache {
        var options = Options()
        set(&options)
        guard options.sqlite >= oldestSQLite else {
            throw CacheError.unusable(
                path: path,
                reason:
                    "userd needs SQLite \(written(oldestSQLite)) or later, found \(written(options.sqlite))",
                advice: "install a later libsqlite3")
        }
        if path != ":memory:" {
            try CacheFile.prepare(path)
            // Only before SQLite opens the file: closing any descriptor of it drops the locks of all
            // connections. https://www.sqlite.org/howtocorrupt.html (2.2)
            if CacheFile.hasUnknownFormat(path) { throw CacheError.damaged("its file format is unknown") }
        }
        let connections = CacheConnections(path, newEpoch: newEpoch, now: now, options)
        return try await openingCache(path) {
            let readers = connections.readers()
            let database = connections.writer(readers)
            try await connections.requireReadable(database, readers)
            let pool = readers ?? ReaderPool([database])
            let writer = CacheWriter(connections, database, pool)
            return Cache(
                writer: writer,
                reader: CacheReader(
                    pool: pool, executor: connections.readExecutor, limit: options.readLimit, now: now,
                    random: random, before: options.before),
                pictures: .live(writer))
        }
    }
}

extension Migrator {
    static let cache = Migrator(applicationID: applicationID, migrations: migrations)
}

/// The first version with the operator `->>`: https://www.sqlite.org/changes.html#version_3_38_0
private let oldestSQLite = 3_038_000

/// The version as people write it, such as 3.38.0.
private func written(_ version: Int) -> String {
    "\(version / 1_000_000).\(version / 1000 % 1000).\(version % 1000)"
}

/// Why a cache can no longer be used.
package enum CacheLoss: Error, Hashable, Sendable {
    /// The file was removed or replaced.
    case gone
    /// The write-ahead log was removed or replaced. Nothing is lost yet: closing the cache copies it into the file.
    case logRemoved
    /// The text is the damage found.
    case damaged(String)
}

/// Reads what clients read first, to find damage there before userd reports that it is ready.
func lookAtFirst(_ connection: Connection) throws {
    _ = try History.saved(connection)
    _ = try History.newest(100, of: nil, connection)
    for order in UserOrder.allCases { _ = try UserQuery(order: order, limit: 100).page(connection) }
    _ = try FactQuery(limit: 100).page(connection)
}

/// Opens the file and turns errors into advice.
///
/// A statement that does not fit the schema means damage here, because all statements are fixed.
/// - Parameter advice: for errors other than damage and an unknown schema.
func openingCache<T>(
    _ path: String, advice: String = "check the free disk space and the file's permissions",
    _ open: () async throws -> T
) async throws -> T {
    do {
        return try await open()
    } catch let error as MigrationError {
        switch error {
        case .foreign:
            throw CacheError.unusable(
                path: path, reason: "this file belongs to another program",
                advice: "give userd a file of its own with --database")
        case .newer(let found, let known):
            throw CacheError.unusable(
                path: path, reason: "this cache has schema \(found) and this userd knows up to \(known)",
                advice: "install the newer userd, or remove the file to sync again")
        case .older(0, _): throw CacheError.absent(path: path)
        case .older(let found, let known):
            throw CacheError.unusable(
                path: path, reason: "this cache has schema \(found) and this program needs \(known)",
                advice: "start userd once: it migrates the cache")
        case .failed(let found, let known, let error):
            throw CacheError.unusable(
                path: path,
                reason: """
                    this cache has schema \(found), and can't be migrated to \(known): \(error.reason)
                    """,
                advice: "the file is unchanged: install the earlier userd, or remove it to sync again")
        }
    } catch let error as SQLiteError {
        if error.isDamage || error.isMisfit { throw CacheError.damaged(error.reason) }
        throw CacheError.unusable(path: path, reason: error.reason, advice: advice)
    }
}
