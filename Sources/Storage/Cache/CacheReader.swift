import Migrations
import Model
import SQLite

/// Reads the cache. Each read sees one snapshot and does not wait for the writer. Throws `CacheError`.
package struct CacheReader: Sendable {
    /// Runs reads, so that a caller on it stays on its thread; nil: each connection uses its own executor.
    package var executor: (any TaskExecutor)?
    package var users: @Sendable (UserQuery) async throws -> StoredPage
    /// One user's record, by id, username or email address.
    package var user: @Sendable (_ key: String) async throws -> FoundRecord
    /// One user's picture, by id, username or email address. Without a size, finds the largest cached one.
    package var picture: @Sendable (_ key: String, PictureSize?) async throws -> FoundPicture
    /// The present `BookIndex.sign`.
    package var bookSign: @Sendable () async throws -> String
    package var book: @Sendable (BookQuery) async throws -> BookIndex
    /// Without those who are gone.
    package var cards: @Sendable (_ ids: [String], BookQuery) async throws -> [BookCard]
    package var facts: @Sendable (FactQuery) async throws -> StoredPage
    /// A random fact with at most this many characters.
    package var randomFact: @Sendable (_ maximumLength: Int?) async throws -> FoundRecord
    package var resources: @Sendable () async throws -> [Resource: SavedResource]
    /// Newest first.
    package var history: @Sendable (Resource?, _ limit: Int) async throws -> [State]
    package var transitions: @Sendable (TransitionRange) async throws -> [State]
    package var close: @Sendable () async -> Void
}

/// A record's stored JSON.
package struct FoundRecord: Hashable, Sendable {
    package var record: [UInt8]
    package var freshness: Freshness
}

/// Transitions after one index up to and including another, oldest first.
package struct TransitionRange: Hashable, Sendable {
    package var after: Int
    package var through: Int
    package var resources: [Resource]
    package var limit: Int

    package init(after: Int, through: Int, resources: [Resource], limit: Int) {
        (self.after, self.through, self.resources, self.limit) = (after, through, resources, limit)
    }
}

extension CacheReader {
    /// Reads the cache file without a daemon: a sync that was running counts as ended.
    package static func offline(
        path: String, now: @escaping @Sendable () -> Timestamp,
        random: @escaping @Sendable (Range<Int>) -> Int
    ) async throws -> CacheReader {
        try CacheFile.refuseUnreadable(path)
        return try await openingCache(path, advice: "check the permissions of the file and its directory") {
            let database = Database { try CacheFile.openToRead(path) }
            try await database.run {
                try Migrator(applicationID: applicationID, migrations: migrations).check($0)
            }
            return live(ReaderPool([database]), withoutDaemon: true, now: now, random: random)
        }
    }

    /// - Parameters:
    ///   - withoutDaemon: a running sync counts as ended.
    ///   - limit: maximum time of a read, excluding its wait for a connection; nil for no limit.
    static func live(
        _ pool: ReaderPool, on executor: (any TaskExecutor)? = nil, withoutDaemon: Bool = false,
        limit: Duration? = nil,
        now: @escaping @Sendable () -> Timestamp, random: @escaping @Sendable (Range<Int>) -> Int
    ) -> CacheReader {
        @Sendable func read<T: Sendable>(
            _ kind: ReaderPool.Kind = .short, _ body: @escaping @Sendable (Connection) throws -> T
        ) async throws -> T {
            try await translatingStorage {
                try await pool.run(kind) { connection in
                    try connection.limited(to: limit) { try connection.reading { try body(connection) } }
                }
            }
        }
        // Every client reads the whole book, which would fill the caches of all connections.
        @Sendable func readBook<T: Sendable>(
            _ body: @escaping @Sendable (Connection) throws -> T
        ) async throws -> T {
            try await read(.long) { connection in
                let read = try body(connection)
                try connection.releaseMemory()
                return read
            }
        }
        @Sendable func freshness(_ resource: Resource, _ connection: Connection) throws -> Freshness {
            try History.freshness(of: resource, withoutDaemon: withoutDaemon, now: now(), connection)
        }
        return CacheReader(
            executor: executor,
            users: { query in
                try await read(query.search == nil ? .short : .long) { connection in
                    var page = try query.page(connection)
                    page.freshness = try freshness(.users, connection)
                    return page
                }
            },
            user: { key in
                try await read { connection in
                    FoundRecord(
                        record: try UserRows.find(key, connection),
                        freshness: try freshness(.users, connection))
                }
            },
            picture: { key, size in try await read { try PictureRows.find(key, size, $0) } },
            bookSign: { try await read { try BookRows.sign($0) } },
            book: { query in try await readBook { try BookRows.index(query, $0) } },
            cards: { ids, query in try await readBook { try BookRows.cards(of: ids, query, $0) } },
            facts: { query in
                try await read(query.search == nil ? .short : .long) { connection in
                    var page = try query.page(connection)
                    page.freshness = try freshness(.facts, connection)
                    return page
                }
            },
            randomFact: { maximumLength in
                try await read { connection in
                    FoundRecord(
                        record: try FactRows.any(maximumLength: maximumLength, choosing: random, connection),
                        freshness: try freshness(.facts, connection))
                }
            },
            // Short and used by the watchdog, so it goes ahead of waiting reads.
            resources: {
                try await read(.first) {
                    let saved = try History.saved($0)
                    guard withoutDaemon else { return saved }
                    return saved.mapValues { SavedResource(state: $0.withoutDaemon, interval: $0.interval) }
                }
            },
            history: { resource, limit in try await read { try History.newest(limit, of: resource, $0) }
            },
            transitions: { range in try await read { try History.list(range, $0) } },
            close: { await pool.close() })
    }
}

extension Connection {
    /// Throws `CacheError.slow` if the limit stopped the body.
    fileprivate func limited<T>(to limit: Duration?, _ body: () throws -> T) throws -> T {
        guard let limit else { return try body() }
        let start = SuspendingClock.now
        do {
            return try limited(to: limit) { try body() }
        } catch let error as SQLiteError where error.isInterrupted && SuspendingClock.now - start >= limit {
            throw CacheError.slow(limit)
        }
    }
}
