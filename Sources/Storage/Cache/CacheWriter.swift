import Model
import SQLite
import Synchronization

/// The only writer of the cache. Throws `CacheError`.
///
/// A sync stages its records, which are not visible, and then commits all of them at once, together with upstream's
/// page versions. The sync's number separates its records from those of an earlier sync that is still ending.
package struct CacheWriter: Sendable {
    /// Restores the state of each resource, with the current intervals. If these can't be saved, returns the
    /// saved ones.
    package var restore:
        @Sendable (_ intervals: [Resource: Duration], _ now: Timestamp) async throws -> Restored
    /// Copies the readable users of a cache that was set aside. Call on a new cache, before `restore`.
    package var restoreUsers: @Sendable (_ setAside: String, _ now: Timestamp) async throws -> RestoredUsers
    package var saveInterval: @Sendable (Resource, Duration) async throws -> Void
    /// Throws if nothing can be written.
    package var requireWritable: @Sendable () async throws -> Void
    /// Writes a transition and the new state; returns it with its index.
    package var record: @Sendable (Change) async throws -> Change
    /// Clears the staging area and assigns it to this sync.
    package var beginStaging: @Sendable (Resource, _ sync: Int) async throws -> Void
    /// The cached page `number`; nil if one of its records is no longer cached.
    package var page: @Sendable (Resource, _ number: Int) async throws -> CachedPage?
    /// Stages users and returns how many of their ids were already staged: the first record of an id is kept.
    /// `page` describes the whole page; nil if it must not be cached.
    package var stageUsers: @Sendable ([User], _ page: CachedPage?, _ sync: Int) async throws -> Int
    package var stageFacts: @Sendable ([Fact], _ page: CachedPage?, _ sync: Int) async throws -> Int
    /// Stages the cached records of an unchanged page, with its new version. Returns how many of them were
    /// already staged; nil, without effect, if the page is no longer cached.
    package var stageSame: @Sendable (Resource, _ page: Int, KnownPage, _ sync: Int) async throws -> Int?
    /// Stages all cached records unchanged. Returns their number.
    package var stageSameList: @Sendable (Resource, _ sync: Int) async throws -> Int
    /// Clears the staging area of this sync.
    package var beginAgain: @Sendable (Resource, _ sync: Int) async throws -> Void
    /// Replaces the cached rows with the staged ones, except for missing users who stay by the rule, and writes the transition that `decide` returns, in one
    /// transaction. If `decide` throws, nothing changes and the error is rethrown.
    package var commit:
        @Sendable (
            Resource, _ sync: Int, RemovalRule, _ decide: @escaping @Sendable (RowChanges) throws -> Change
        ) async throws -> Change
    /// Empties the staging area of a sync that was not committed, and frees its space.
    package var dropStaging: @Sendable (Resource, _ sync: Int) async -> Void
    /// Frees the memory of a sync and cuts the write-ahead log. Call after each sync.
    package var tidy: @Sendable () async -> Void
    /// Caches one fact and updates the count in the state of facts. Returns the fact as cached, and the count.
    package var addFact: @Sendable (Fact) async throws -> (fact: Fact, count: Int)
    /// Saves the last pause or resume; nil removes it.
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
    /// Consecutive attempts up to the last interrupted sync; missing if a later sync has ended otherwise.
    package var interrupted: [Resource: Int]
}

extension CacheWriter {
    static func live(
        _ database: Database, readers: ReaderPool, userRow: UserRow, maximumFacts: Int, maximumHistory: Int,
        refuseGone: @escaping @Sendable () throws -> Void, rowsChanged: @escaping @Sendable () -> Void
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
        // An earlier daemon may have left a long log.
        let isTidy = Atomic(false)
        @Sendable func tidy() async {
            let isLogShort = isTidy.exchange(true, ordering: .relaxed)
            let isCut = try? await run { connection in
                // Waits for readers only briefly, because other writes wait meanwhile. The first column says
                // whether a reader blocked it: https://www.sqlite.org/pragma.html#pragma_wal_checkpoint
                let isCut = try connection.waitingForLocks(atMost: .milliseconds(100)) {
                    try isLogShort || connection.firstInt("PRAGMA wal_checkpoint(TRUNCATE)") == 0
                }
                try connection.releaseMemory()
                return isCut
            }
            if isCut != true { isTidy.store(false, ordering: .relaxed) }
        }
        @Sendable func stage(
            _ rows: [[Value]], of resource: Resource, on page: CachedPage?, sync: Int
        ) async throws -> Int {
            isTidy.store(false, ordering: .relaxed)
            return try await run { try Staging.insert(rows, of: resource, on: page, sync: sync, $0) }
        }
        let kept = Mutex((facts: maximumFacts, transitions: maximumHistory))
        @Sendable func facts() -> FactRows { FactRows(maximum: kept.withLock { $0.facts }) }
        @Sendable func transitions() -> History {
            History(maximumHistory: kept.withLock { $0.transitions })
        }
        return CacheWriter(
            restore: { intervals, now in
                let (stored, found) = try await translatingStorage {
                    try await readers.run { connection in
                        try connection.reading {
                            try History.restore(Set(intervals.keys), now: now, connection)
                        }
                    }
                }
                var wanted = stored
                for (resource, interval) in intervals { wanted.resources[resource]?.interval = interval }
                guard wanted.resources != found else { return stored }
                do {
                    try await write { [wanted] in try History.save(wanted.resources.values, $0) }
                    return wanted
                } catch is CacheError {
                    // The cache can still be read.
                    return stored
                }
            },
            restoreUsers: { setAside, now in
                let users = try await run { connection in
                    // A file that can't even be opened is no damage of this cache.
                    guard let old = try? SetAsideUsers(setAside) else {
                        return RestoredUsers(restored: 0, total: 0)
                    }
                    return try old.copy(now: now, userRow, to: connection)
                }
                // Earlier copies have nothing more.
                if users.restored > 0, users.restored == users.total { rowsChanged() }
                return users
            },
            saveInterval: { resource, interval in
                try await run { connection in
                    _ = try connection.run(
                        "UPDATE resources SET interval_ms = ? WHERE resource = ?",
                        [.integer(interval.milliseconds), resource.rawValue.value])
                }
            },
            requireWritable: {
                try await run { _ = try $0.run("UPDATE cache SET last_index = last_index") }
            },
            record: { change in try await write { try transitions().record(change, $0) } },
            beginStaging: { resource, sync in
                try await run { connection in
                    try connection.deferred { try Staging.begin(resource, sync: sync, connection) }
                }
            },
            page: { resource, number in try await run { try Pages.find(number, of: resource, $0) } },
            stageUsers: { users, page, sync in
                // Encodes here, so that the writer does not wait for it.
                let rows = try users.map { user in
                    // A page of long records takes long.
                    try Task.checkCancellation()
                    return userRow.values(user)
                }
                return try await stage(UserRow.sorted(rows), of: .users, on: page, sync: sync)
            },
            stageFacts: { facts, page, sync in
                try await stage(facts.map(FactRows.values), of: .facts, on: page, sync: sync)
            },
            stageSame: { resource, page, known, sync in
                try await run {
                    try Staging.stageSame(page: page, known: known, of: resource, sync: sync, $0)
                }
            },
            stageSameList: { resource, sync in
                try await run { try Staging.stageSameList(resource, sync: sync, $0) }
            },
            beginAgain: { resource, sync in
                try await run { try Staging.beginAgain(resource, sync: sync, $0) }
            },
            commit: { resource, sync, rule, decide in
                let isChange = Atomic(false)
                let decide = { @Sendable (changes: RowChanges) throws -> Change in
                    if changes.added + changes.changed + changes.removed > 0 {
                        isTidy.store(false, ordering: .relaxed)
                        isChange.store(true, ordering: .relaxed)
                    }
                    return try decide(changes)
                }
                return try await run { connection in
                    var recorded: Change?
                    // The log is copied into the file later, after the commit was reported: see tidy.
                    try connection.execute("PRAGMA wal_autocheckpoint = 0")
                    defer { try? connection.execute("PRAGMA wal_autocheckpoint = 1000") }
                    do {
                        try connection.immediate {
                            try Staging.check(resource, sync: sync, connection)
                            let change: Change
                            if try Staging.isSameList(resource, connection) {
                                let count = try connection.firstInt("SELECT count(*) FROM \(resource)") ?? 0
                                change = try decide(RowChanges(before: count, after: count))
                            } else {
                                switch resource {
                                case .users: change = try UserRows.commit(rule, connection, decide)
                                case .facts: change = try facts().commit(connection, decide)
                                }
                                try Pages.commit(resource, connection)
                            }
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
                    if isChange.load(ordering: .relaxed) { rowsChanged() }
                    return change
                }
            },
            dropStaging: { resource, sync in
                do {
                    try await database.run { try Staging.drop(resource, sync: sync, $0) }
                    await tidy()
                } catch {
                    // Emptying a table also needs space. Closing the connection removes the table.
                    await database.drop()
                }
            },
            tidy: tidy,
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
