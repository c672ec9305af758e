import Model
import SQLite
import Synchronization

/// The one writer of the cache. What goes wrong is thrown as a `CacheError`.
///
/// A sync stages its records, where nobody sees them, and then commits all of them at once, with what upstream's pages
/// were that they came on.
/// A sync's number tells its records from those of an earlier one that has not quite ended.
package struct CacheWriter: Sendable {
    /// What the cache holds of each resource; a new cache begins here. Intervals are those now in force.
    package var restore:
        @Sendable (_ intervals: [Resource: Duration], _ now: Timestamp) async throws -> Restored
    /// Writes a transition and what follows from it; returns it with its number.
    package var record: @Sendable (Change) async throws -> Change
    /// Empties the staging area and gives it to this sync.
    package var beginStaging: @Sendable (Resource, _ sync: Int) async throws -> Void
    /// What is known of a page of that number; nil where a record of it is not cached any more.
    package var page: @Sendable (Resource, _ number: Int) async throws -> CachedPage?
    /// Returns how many of these were staged before: the first one of an id stays. They are all that is on `page`, which is
    /// nil where nobody will be able to ask whether it has changed.
    package var stageUsers: @Sendable ([User], _ page: CachedPage?, _ sync: Int) async throws -> Int
    package var stageFacts: @Sendable ([Fact], _ page: CachedPage?, _ sync: Int) async throws -> Int
    /// Stages the cached records of a page that has not changed. Returns how many of them were staged before; nil, and
    /// nothing has happened, where the page is not known any more.
    package var stageCached: @Sendable (Resource, _ page: Int, _ sync: Int) async throws -> Int?
    /// Makes what is staged the cached rows, and writes the transition that `decide` makes of that, in one transaction.
    /// What `decide` throws leaves everything as it was, and is thrown on.
    package var commit:
        @Sendable (Resource, _ sync: Int, _ decide: @escaping @Sendable (RowChanges) throws -> Change)
            async throws -> Change
    /// Caches one more fact, and counts it in the state of the facts. Returns it as cached, and the count.
    package var addFact: @Sendable (Fact) async throws -> (fact: Fact, count: Int)
    /// Nil forgets it.
    package var savePause: @Sendable (SavedPause?) async throws -> Void
    /// Throws `CacheError.gone` where what is written is lost.
    package var refuseGone: @Sendable () async throws -> Void
    /// For a quick end: a commit that runs is undone, and no other succeeds that takes long.
    package var interrupt: @Sendable () -> Void
    /// Keeps as many from the next write on.
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
        refuseGone: @escaping @Sendable () throws -> Void,
        folded: @escaping @Sendable (String) -> String
    ) -> CacheWriter {
        @Sendable func run<T: Sendable>(
            _ body: @escaping @Sendable (Connection) throws -> T
        ) async throws -> T {
            try await translatingStorage {
                try await database.run { connection in
                    // Here, since a look at the file waits for the disk, too.
                    try refuseGone()
                    return try body(connection)
                }
            }
        }
        let kept = Mutex((facts: maximumFacts, transitions: maximumHistory))
        @Sendable func facts() -> FactRows { FactRows(maximum: kept.withLock { $0.facts }) }
        @Sendable func transitions() -> Transitions {
            Transitions(maximumHistory: kept.withLock { $0.transitions })
        }
        return CacheWriter(
            restore: { intervals, now in
                try await run { connection in
                    try connection.immediate {
                        try transitions().restore(intervals, now: now, connection)
                    }
                }
            },
            record: { change in
                try await run { connection in
                    try connection.immediate { try transitions().record(change, connection) }
                }
            },
            beginStaging: { resource, sync in
                try await run { connection in try Staging.begin(resource, sync: sync, connection) }
            },
            page: { resource, number in
                try await run { try Pages.find(number, of: resource, $0) }
            },
            stageUsers: { users, page, sync in
                try await run { connection in
                    try Staging.insert(
                        users.lazy.map { try UserRow($0, folded: folded).values }, of: .users, on: page,
                        sync: sync, connection)
                }
            },
            stageFacts: { facts, page, sync in
                try await run { connection in
                    try Staging.insert(
                        facts.lazy.map { try FactRows.values($0) }, of: .facts, on: page, sync: sync,
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
                        // SQLite commits one file after the other: where the temporary one, which nobody needs any more,
                        // finds no room, it calls the commit failed that the cache's file has.
                        guard let recorded, try Transitions.has(recorded.transition, connection) else {
                            throw error
                        }
                    }
                    guard let change = recorded else { throw CancellationError() }
                    // What a large commit took is given back. It is committed, whatever becomes of that.
                    try? connection.execute("PRAGMA wal_checkpoint(TRUNCATE); PRAGMA shrink_memory;")
                    return change
                }
            },
            addFact: { fact in
                try await run { connection in
                    try connection.immediate { try facts().add(fact, connection) }
                }
            },
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
            close: { await database.close() }
        )
    }
}
