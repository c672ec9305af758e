import Migrations
import Model
import SQLite
import Synchronization

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
    ///   - lost: called when the file can't be used any more, perhaps repeatedly: at once if damage is found; before a
    ///   write, or by `refuseGone`, if the file or its log is found removed or replaced.
    ///   - migrating: called repeatedly during a migration, with the schema version.
    package static func live(
        path: String, newEpoch: String, maximumFacts: Int = 10_000, maximumHistory: Int = 10_000,
        readers: Int = 4, readLimit: Duration = .seconds(2), now: @escaping @Sendable () -> Timestamp,
        random: @escaping @Sendable (Range<Int>) -> Int, folded: @escaping Folding,
        executor: (any TaskExecutor)? = nil, readExecutor: (any TaskExecutor)? = nil,
        configure: @escaping @Sendable (Connection) throws -> Void = { _ in },
        lost: @escaping @Sendable (CacheLoss) -> Void = { _ in },
        migrating: @escaping @Sendable (_ schema: Int) -> Void = { _ in }
    ) async throws -> Cache {
        let isFile = path != ":memory:"
        if isFile { try CacheFile.prepare(path) }
        return try await openingCache(path) {
            let damaged = { @Sendable (error: SQLiteError) in lost(.damaged(error.reason)) }
            let prepare = { @Sendable (connection: Connection) in
                // 32 MiB: rows arrive in random index order, so a smaller cache would reread the same pages.
                try connection.execute("PRAGMA cache_size = -32768")
                try Staging.create(connection)
                try configure(connection)
            }
            let found = Mutex<CacheFile.Snapshot?>(nil)
            let refuseGone = { @Sendable in
                guard let file = found.withLock({ $0 }) else { return }
                do {
                    try file.refuseGone()
                } catch {
                    lost(.gone)
                    throw error
                }
                if file.isWithoutLog { lost(.logRemoved) }
            }
            let reopening = { @Sendable in
                try refuseGone()
                let connection = try Connection(path: path, access: .readWrite)
                try prepare(connection)
                return connection
            }
            let database = try await Database(
                path: path, access: .readWriteCreate, executor: executor, damaged: damaged,
                reopening: isFile ? reopening : nil)
            try await database.run { connection in
                try Migrator(applicationID: applicationID, migrations: migrations)
                    .migrate(connection, now: now().description, progress: migrating)
                try prepare(connection)
                try connection.run(
                    "INSERT OR IGNORE INTO cache (id, epoch, last_index) VALUES (1, ?, 0)", [newEpoch.value])
                try lookAtFirst(connection)
            }
            if isFile { found.withLock { $0 = CacheFile.Snapshot(path) } }
            let readExecutor = readExecutor ?? BlockingQueue(label: "sqlite reads", isConcurrent: true)
            var pool: [Database] = []
            for _ in 0..<(isFile ? readers : 0) {
                pool.append(
                    try await Database(
                        path: path, access: .readOnly, executor: readExecutor, damaged: damaged))
            }
            return Cache(
                writer: .live(
                    database, maximumFacts: maximumFacts, maximumHistory: maximumHistory,
                    refuseGone: refuseGone, folded: folded),
                reader: .live(
                    ReaderPool(isFile ? pool : [database]), on: readExecutor, limit: readLimit, now: now,
                    random: random),
                pictures: .live(database))
        }
    }
}

/// Why a cache can't be used any more.
package enum CacheLoss: Error, Hashable, Sendable {
    /// The file was removed or replaced.
    case gone
    /// The write-ahead log was removed or replaced. Nothing is lost yet: closing the cache copies it into the file.
    case logRemoved
    /// With what was found.
    case damaged(String)
}

/// Reads what is read first: finds damage there before anybody is told that userd serves.
private func lookAtFirst(_ connection: Connection) throws {
    _ = try History.saved(connection)
    _ = try History.newest(100, of: nil, connection)
    for order in UserOrder.allCases { _ = try UserQuery(order: order, limit: 100).page(connection) }
    _ = try FactQuery(limit: 100).page(connection)
}

/// Opens the file and turns errors into advice.
///
/// While it is opened, a statement that does not fit the schema means damage, because all statements are fixed.
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
        if error.isDamage || error.isMisfit || error.isReadOnly && CacheFile.hasUnknownFormat(path) {
            throw CacheError.damaged(error.reason)
        }
        throw CacheError.unusable(path: path, reason: error.reason, advice: advice)
    }
}
