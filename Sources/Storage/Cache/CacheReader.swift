import Model
import SQLite

/// Reads the cache. Each read sees one snapshot and does not wait for the writer. Throws `CacheError`.
package struct CacheReader: Sendable {
    let pool: ReaderPool
    /// Runs reads, so that a caller on it stays on its thread; nil: each connection uses its own executor.
    package var executor: (any TaskExecutor)?
    /// Whether a running sync counts as ended.
    var withoutDaemon = false
    /// Maximum time of a read, excluding its wait for a connection; nil for no limit.
    var limit: Duration?
    let now: @Sendable () -> Timestamp
    let random: @Sendable (Range<Int>) -> Int
    var before: CacheSeam = { _ in }

    /// Reads the cache file without a daemon: a sync that was running counts as ended.
    package static func offline(
        path: String, busyTimeout: Duration = .seconds(5), now: @escaping @Sendable () -> Timestamp,
        random: @escaping @Sendable (Range<Int>) -> Int
    ) async throws -> CacheReader {
        try CacheFile.refuseUnreadable(path)
        return try await openingCache(path, advice: "check the permissions of the file and its directory") {
            let database = Database { try CacheFile.openToRead(path, busyTimeout: busyTimeout) }
            try await database.run(Migrator.cache.check)
            return CacheReader(pool: ReaderPool([database]), withoutDaemon: true, now: now, random: random)
        }
    }

    package func users(_ query: UserQuery) async throws -> StoredPage {
        try await read(query.search == nil ? .short : .long) { connection in
            var page = try query.page(connection)
            page.freshness = try freshness(.users, connection)
            return page
        }
    }

    package func facts(_ query: FactQuery) async throws -> StoredPage {
        try await read(query.search == nil ? .short : .long) { connection in
            var page = try query.page(connection)
            page.freshness = try freshness(.facts, connection)
            return page
        }
    }

    /// One user's record, by id, username or email address.
    /// - Parameter kinds: nil for persons.
    package func user(_ key: String, _ kinds: [UserKind]? = nil) async throws -> FoundRecord {
        try await read {
            let record = try UserRows.find(key, of: Kinds.asked(kinds), $0)
            return FoundRecord(record: record, freshness: try freshness(.users, $0))
        }
    }

    /// The managers of a user, by id, username or email address.
    package func managers(of key: String) async throws -> FoundChain {
        try await read { connection in
            let record = try UserRows.find(key, connection)
            let organisation = try Organisation(connection)
            let (managers, end) = try organisation.managers(of: record)
            return FoundChain(
                record: record, managers: managers, end: end, isNamed: organisation.isNamed,
                freshness: try freshness(.users, connection))
        }
    }

    /// Everybody below a user, by id, username or email address.
    /// - Parameters:
    ///   - depth: number of levels; nil for all.
    ///   - limit: number of users.
    package func tree(of key: String, depth: Int?, limit: Int?) async throws -> FoundTree {
        guard limit ?? 1 > 0 else { throw CacheError.invalidParameter("limit") }
        guard depth ?? 1 > 0 else { throw CacheError.invalidParameter("depth") }
        return try await read(.long) { connection in
            let organisation = try Organisation(connection)
            let (positions, total) = try organisation.tree(
                of: try UserRows.find(key, connection), depth: depth ?? .max,
                limit: min(limit ?? TreeLimits.usual, TreeLimits.most))
            return FoundTree(
                positions: positions, total: total, isNamed: organisation.isNamed,
                freshness: try freshness(.users, connection))
        }
    }

    /// A random fact with at most this many characters.
    package func randomFact(_ maximumLength: Int?) async throws -> FoundRecord {
        try await read {
            FoundRecord(
                record: try FactRows.any(maximumLength: maximumLength, choosing: random, $0),
                freshness: try freshness(.facts, $0))
        }
    }

    /// One user's picture, by id, username or email address. Without a size, finds the largest cached one.
    package func picture(_ key: String, _ size: PictureSize?) async throws -> FoundPicture {
        try await read { try PictureRows.find(key, size, $0) }
    }

    /// The present `BookIndex.changeToken`.
    package func bookChangeToken() async throws -> String { try await read { try BookRows.changeToken($0) } }

    package func book(_ query: BookQuery) async throws -> BookIndex {
        try await before(.book)
        return try await read(.long, releasing: true) { try BookRows.index(query, $0) }
    }

    /// Without those who are gone.
    package func cards(_ ids: [String], _ query: BookQuery) async throws -> [BookCard] {
        try await read(.long, releasing: true) { try BookRows.cards(of: ids, query, $0) }
    }

    package func resources() async throws -> [Resource: SavedResource] {
        // Short and used by the watchdog, so it goes ahead of waiting reads.
        let saved = try await read(.first, History.saved)
        guard withoutDaemon else { return saved }
        return saved.mapValues { SavedResource(state: $0.withoutDaemon, interval: $0.interval) }
    }

    /// Newest first.
    package func history(_ resource: Resource?, _ limit: Int) async throws -> [State] {
        try await read { try History.newest(limit, of: resource, $0) }
    }

    /// Transitions after one index up to and including another, oldest first.
    package func transitions(
        after: Int, through: Int = .max, of resources: [Resource], limit: Int
    ) async throws -> [State] {
        try await read { try History.list(after, through, resources, limit: limit, $0) }
    }

    package func close() async { await pool.close() }

    /// - Parameter releasing: for the address book. Every client reads the whole book, which would fill the caches of
    ///   all connections.
    func read<T: Sendable>(
        _ kind: ReaderPool.Kind = .short, releasing: Bool = false, _ body: @Sendable (Connection) throws -> T
    ) async throws -> T {
        try await translatingStorage {
            try await pool.run(kind) { connection in
                defer { if releasing { try? connection.releaseMemory() } }
                return try connection.limited(to: limit) { try connection.deferred { try body(connection) } }
            }
        }
    }

    private func freshness(_ resource: Resource, _ connection: Connection) throws -> Freshness {
        guard let saved = try History.saved(connection)[resource] else {
            return Freshness(phase: .initial, syncedAt: nil, age: nil, stale: true)
        }
        return saved.freshness(of: withoutDaemon ? saved.withoutDaemon : saved.state, now: now())
    }
}

/// A record's stored JSON.
package struct FoundRecord: Hashable, Sendable {
    package var record: [UInt8]
    package var freshness: Freshness
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
