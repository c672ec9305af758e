import Migrations
import Model
import SQLite

/// The daemon's cache: one writer, and readers that do not wait for it.
package struct Cache: Sendable {
    package var writer: CacheWriter
    package var reader: CacheReader
    package var pictures: PictureCache

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
    ///   - maximumFacts: the oldest beyond this number are removed.
    ///   - maximumHistory: number of transitions to keep.
    ///   - readers: number of read connections; a cache in memory has one connection for everything.
    ///   - readLimit: maximum time of a read.
    ///   - now: the wall clock, for ages.
    ///   - random: a random number in a range, to choose a fact.
    ///   - folded: removes case and accents, for comparison.
    ///   - executor: where writes block; nil for a new queue.
    ///   - readExecutor: where reads block; nil for one thread per read.
    ///   - configure: further settings of the write connection.
    ///   - gone: called when the file is found removed or replaced: before a write, or by `refuseGone`.
    ///   - migrating: called repeatedly during a migration, with the schema version.
    package static func live(
        path: String, newEpoch: String, maximumFacts: Int = 10_000, maximumHistory: Int = 10_000,
        readers: Int = 4, readLimit: Duration = .seconds(2), now: @escaping @Sendable () -> Timestamp,
        random: @escaping @Sendable (Range<Int>) -> Int, folded: @escaping Folding,
        executor: (any TaskExecutor)? = nil, readExecutor: (any TaskExecutor)? = nil,
        configure: @escaping @Sendable (Connection) throws -> Void = { _ in },
        gone: @escaping @Sendable () -> Void = {},
        migrating: @escaping @Sendable (_ schema: Int) -> Void = { _ in }
    ) async throws -> Cache {
        let isFile = path != ":memory:"
        if isFile { try CacheFile.prepare(path) }
        return try await openingCache(path) {
            let database = try await Database(path: path, access: .readWriteCreate, executor: executor)
            try await database.run { connection in
                try Migrator(applicationID: applicationID, migrations: migrations)
                    .migrate(connection, now: now().description, progress: migrating)
                // 32 MiB: rows arrive in random index order, so a smaller cache would reread the same pages.
                try connection.execute("PRAGMA cache_size = -32768")
                try Staging.create(connection)
                try connection.run(
                    "INSERT OR IGNORE INTO cache (id, epoch, last_index) VALUES (1, ?, 0)", [newEpoch.value])
                try configure(connection)
            }
            let readExecutor = readExecutor ?? BlockingQueue(label: "sqlite reads", isConcurrent: true)
            var pool: [Database] = []
            for _ in 0..<(isFile ? readers : 0) {
                pool.append(try await Database(path: path, access: .readOnly, executor: readExecutor))
            }
            let file = isFile ? CacheFile.Snapshot(path) : nil
            return Cache(
                writer: .live(
                    database, maximumFacts: maximumFacts, maximumHistory: maximumHistory,
                    refuseGone: {
                        do {
                            try file?.refuseGone()
                        } catch {
                            gone()
                            throw error
                        }
                    }, folded: folded),
                reader: .live(
                    ReaderPool(isFile ? pool : [database]), on: readExecutor, limit: readLimit, now: now,
                    random: random),
                pictures: .live(database))
        }
    }
}

/// Opens the file and turns errors into advice.
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
                advice: "install the newer userd, or remove the file to sync it anew")
        case .older(let found, let known):
            throw CacheError.unusable(
                path: path, reason: "this cache has schema \(found) and this program needs \(known)",
                advice: "start userd once: it brings the cache up to date")
        }
    } catch let error as SQLiteError {
        let advice =
            error.isNotADatabase
            ? "give userd a file of its own with --database; if this was its cache, remove it to sync it anew"
            : error.isCorrupt ? "remove the file: userd will sync it anew" : advice
        throw CacheError.unusable(path: path, reason: error.reason, advice: advice)
    }
}
