import Model
import SQLite
import Synchronization

/// The only writer of the cache. Throws `CacheError`.
///
/// A sync stages its records, which are not visible, and then commits all of them at once, together with upstream's
/// page versions. The sync's number separates its records from those of an earlier sync that is still ending.
package struct CacheWriter: Sendable {
    /// Restores the state of each resource; initializes a new cache. Takes the current intervals.
    package var restore:
        @Sendable (_ intervals: [Resource: Duration], _ now: Timestamp) async throws -> Restored
    /// Writes a transition and the new state; returns it with its index.
    package var record: @Sendable (Change) async throws -> Change
    /// Clears the staging area and assigns it to this sync.
    package var beginStaging: @Sendable (Resource, _ sync: Int) async throws -> Void
    /// What is cached of page `number`; nil if one of its records is no longer cached.
    package var page: @Sendable (Resource, _ number: Int) async throws -> CachedPage?
    /// Returns how many of these ids were already staged: the first record of an id is kept. `page` describes the
    /// whole page; nil if upstream sends no validators for it.
    package var stageUsers: @Sendable ([User], _ page: CachedPage?, _ sync: Int) async throws -> Int
    package var stageFacts: @Sendable ([Fact], _ page: CachedPage?, _ sync: Int) async throws -> Int
    /// Stages the cached records of an unchanged page. Returns how many of them were already staged; nil, without
    /// effect, if the page is no longer cached.
    package var stageCached: @Sendable (Resource, _ page: Int, _ sync: Int) async throws -> Int?
    /// Replaces the cached rows with the staged ones and writes the transition that `decide` returns, in one
    /// transaction. If `decide` throws, nothing changes and the error is rethrown.
    package var commit:
        @Sendable (Resource, _ sync: Int, _ decide: @escaping @Sendable (RowChanges) throws -> Change)
            async throws -> Change
    /// Caches one fact and updates the count in the state of facts. Returns the fact as cached, and the count.
    package var addFact: @Sendable (Fact) async throws -> (fact: Fact, count: Int)
    /// Nil removes it.
    package var savePause: @Sendable (SavedPause?) async throws -> Void
    /// Throws `CacheError.gone` if the file was removed or replaced.
    package var refuseGone: @Sendable () async throws -> Void
    /// For a quick exit: rolls back a running commit; later long writes fail.
    package var interrupt: @Sendable () -> Void
    /// Changes the limits, from the next write on.
    package var keep: @Sendable (_ facts: Int, _ transitions: Int) -> Void
    package var close: @Sendable () async -> Void
}

package struct Restored: Hashable, Sendable {
    package var epoch: String
    package var lastIndex: Int
    package var pause: SavedPause?
    package var resources: [Resource: SavedResource]
}

extension CacheWriter {
    static func live(
        _ database: Database, maximumFacts: Int, maximumHistory: Int,
        refuseGone: @escaping @Sendable () throws -> Void, folded: @escaping Folding
    ) -> CacheWriter {
        @Sendable func run<T: Sendable>(
            _ body: @escaping @Sendable (Connection) throws -> T
        ) async throws -> T {
            try await translatingStorage {
                try await database.run { connection in
                    // On the database's executor, because the check may block.
                    try refuseGone()
                    return try body(connection)
                }
            }
        }
        @Sendable func write<T: Sendable>(
            _ body: @escaping @Sendable (Connection) throws -> T
        ) async throws -> T {
            try await run { connection in try connection.immediate { try body(connection) } }
        }
        let kept = Mutex((facts: maximumFacts, transitions: maximumHistory))
        @Sendable func facts() -> FactRows { FactRows(maximum: kept.withLock { $0.facts }) }
        @Sendable func transitions() -> History {
            History(maximumHistory: kept.withLock { $0.transitions })
        }
        return CacheWriter(
            restore: { intervals, now in
                try await write { try transitions().restore(intervals, now: now, $0) }
            },
            record: { change in try await write { try transitions().record(change, $0) } },
            beginStaging: { resource, sync in
                try await write { try Staging.begin(resource, sync: sync, $0) }
            },
            page: { resource, number in try await run { try Pages.find(number, of: resource, $0) } },
            stageUsers: { users, page, sync in
                try await run { connection in
                    try Staging.insert(
                        users.lazy.map { UserRow($0, folded: folded).values }, of: .users, on: page,
                        sync: sync, connection)
                }
            },
            stageFacts: { facts, page, sync in
                try await run { connection in
                    try Staging.insert(
                        facts.lazy.map { FactRows.values($0) }, of: .facts, on: page, sync: sync,
                        connection)
                }
            },
            stageCached: { resource, page, sync in
                try await run { try Staging.insertCached(page: page, of: resource, sync: sync, $0) }
            },
            commit: { resource, sync, decide in
                try await run { connection in
                    var recorded: Change?
                    do {
                        try connection.immediate {
                            try Staging.check(resource, sync: sync, connection)
                            let change: Change
                            switch resource {
                            case .users: change = try UserRows.commit(connection, decide)
                            case .facts: change = try facts().commit(connection, decide)
                            }
                            try Pages.commit(resource, connection)
                            try Staging.end(resource, connection)
                            recorded = try transitions().record(change, connection)
                        }
                    } catch {
                        // SQLite commits the attached files one after the other. If the temporary one fails for lack
                        // of space, SQLite reports a failure although the cache's commit succeeded.
                        guard let recorded, try History.has(recorded.transition, connection) else {
                            throw error
                        }
                    }
                    guard let change = recorded else { throw CancellationError() }
                    // Frees the space of a large commit. Errors don't matter: the commit is done.
                    try? connection.execute("PRAGMA wal_checkpoint(TRUNCATE); PRAGMA shrink_memory;")
                    return change
                }
            },
            addFact: { fact in try await write { try facts().add(fact, $0) } },
            savePause: { pause in
                try await run { connection in
                    _ = try connection.run(
                        "UPDATE cache SET paused = ?, paused_setting = ?",
                        [pause.map { $0.paused.value } ?? .null, pause.map { $0.setting.value } ?? .null])
                }
            },
            refuseGone: { try await run { _ in } },
            interrupt: { database.interrupt() },
            keep: { facts, transitions in kept.withLock { $0 = (facts, transitions) } },
            close: { await database.close() })
    }
}
