import Migrations
import Model
import SQLite

/// The cache as the daemon has it: one writer, and readers that do not wait for it.
package struct Cache: Sendable {
    package var writer: CacheWriter
    package var reader: CacheReader
    package var pictures: PictureCache

    package init(writer: CacheWriter, reader: CacheReader, pictures: PictureCache) {
        self.writer = writer
        self.reader = reader
        self.pictures = pictures
    }

    package func close() async {
        await reader.close()
        await writer.close()
    }
}

extension Cache {
    /// Opens the cache at `path`, creating it, its directory and its schema where they are missing.
    /// - Parameters:
    ///   - path: a file, or `:memory:`.
    ///   - newEpoch: names the sequence of transitions of a cache that is new.
    ///   - maximumFacts: the oldest go out beyond it.
    ///   - maximumHistory: transitions kept.
    ///   - readers: connections for reading; a cache in memory has but one connection for everything.
    ///   - now: the wall clock, for ages.
    ///   - random: one of a range, for a fact at random.
    ///   - folded: text as it is compared where case and accents do not count.
    ///   - executor: where SQLite may block while it writes; nil for a queue of its own.
    ///   - readExecutor: where it may block while it reads; nil for as many threads as there are reads.
    ///   - configure: what else to set on the connection that writes.
    ///   - gone: called when it is seen that the file was removed, or another put in its place: before each write, and when
    ///     `refuseGone` is called.
    ///   - migrating: called while the file is brought up to date, again and again, with the schema that is being reached.
    package static func live(
        path: String, newEpoch: String, maximumFacts: Int = 10_000, maximumHistory: Int = 10_000,
        readers: Int = 4,
        now: @escaping @Sendable () -> Timestamp, random: @escaping @Sendable (Range<Int>) -> Int,
        folded: @escaping @Sendable (String) -> String,
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
                // 32 MiB: rows come in no index's order, and a smaller part of each would be read again and again.
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
            let file = isFile ? CacheFile.Identity(path) : nil
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
                    ReaderPool(isFile ? pool : [database]), on: readExecutor, now: now,
                    random: random),
                pictures: .live(database))
        }
    }
}

/// What can go wrong when the file is opened, said so that one knows what to do about it.
/// - Parameter advice: where it is neither damaged nor of another schema.
func openingCache<T>(
    _ path: String, advice: String = "see that the disk has room and the file may be written",
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
