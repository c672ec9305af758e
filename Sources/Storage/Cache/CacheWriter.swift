import Model
import SQLite
import Synchronization

/// The only writer of the cache. Throws `CacheError`.
///
/// A sync stages its records, which are not visible, and then commits all of them at once, together with upstream's
/// page versions. The sync's number separates its records from those of an earlier sync that is still ending.
package final class CacheWriter: Sendable {
    private let connections: CacheConnections
    private let database: Database
    private let readers: ReaderPool
    private let userRow: UserRow
    private let before: CacheSeam
    private let retention: Mutex<(facts: Int, transitions: Int)>
    /// False at first, because an earlier daemon may have left a long log.
    private let isTidy = Atomic(false)

    init(_ connections: CacheConnections, _ database: Database, _ readers: ReaderPool) {
        let options = connections.options
        (self.connections, self.database, self.readers) = (connections, database, readers)
        (userRow, before) = (UserRow(options.fields), options.before)
        retention = Mutex((options.maximumFacts, options.maximumHistory))
    }

    /// Restores the state of each resource, with the current intervals. If these can't be saved, returns the
    /// saved ones.
    package func restore(_ intervals: [Resource: Duration], _ now: Timestamp) async throws -> Restored {
        let (stored, found) = try await translatingStorage {
            try await readers.run { connection in
                try connection.deferred { try History.restore(Set(intervals.keys), now: now, connection) }
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
    }

    /// Copies the readable users of a cache that was set aside. Call on a new cache, before `restore`.
    package func restoreUsers(_ setAside: String, _ now: Timestamp) async throws -> RestoredUsers {
        let users = try await run { [userRow] connection in
            // A file that can't even be opened is no damage of this cache.
            guard let old = try? SetAsideUsers(setAside) else { return RestoredUsers(restored: 0, total: 0) }
            return try old.copy(now: now, userRow, to: connection)
        }
        // Earlier copies have nothing more.
        if users.restored > 0, users.restored == users.total { connections.removeEarlierCopies() }
        return users
    }

    package func saveInterval(_ resource: Resource, _ interval: Duration) async throws {
        _ = try await run {
            try $0.run(
                "UPDATE resources SET interval_ms = ? WHERE resource = ?",
                [.integer(interval.milliseconds), resource.rawValue.value])
        }
    }

    /// Throws if nothing can be written.
    package func requireWritable() async throws {
        _ = try await run(.requireWritable) { try $0.run("UPDATE cache SET last_index = last_index") }
    }

    /// Writes a transition and the new state; returns it with its index.
    package func record(_ change: Change) async throws -> Change {
        try await write(.record) { [self] in try history.record(change, $0) }
    }

    /// Clears the staging area and assigns it to this sync.
    package func beginStaging(_ resource: Resource, _ sync: Int) async throws {
        try await run(.beginStaging) { connection in
            try connection.deferred { try Staging.begin(resource, sync: sync, connection) }
        }
    }

    /// The cached page `number`; nil if one of its records is no longer cached.
    package func page(_ resource: Resource, _ number: Int) async throws -> Page<Never>? {
        try await run { try Pages.find(number, of: resource, $0) }
    }

    /// Stages users and returns how many of their ids were already staged: the first record of an id is kept.
    /// - Parameter page: must not be cached if it has no version.
    package func stageUsers(_ page: Page<User>, _ number: Int, _ sync: Int) async throws -> Int {
        // Encodes here, so that the writer does not wait for it.
        let rows = try page.records.map { user in
            // A page of long records takes long.
            try Task.checkCancellation()
            return userRow.values(user)
        }
        return try await stage(UserRow.sorted(rows), of: .users, on: page, number, sync)
    }

    package func stageFacts(
        _ facts: [Fact], on page: Page<some Sendable>, _ number: Int, _ sync: Int
    ) async throws -> Int {
        try await stage(facts.map(FactRows.values), of: .facts, on: page, number, sync)
    }

    private func stage(
        _ rows: [[Value]], of resource: Resource, on page: Page<some Sendable>, _ number: Int, _ sync: Int
    ) async throws -> Int {
        isTidy.store(false, ordering: .relaxed)
        return try await run(.stage) {
            try Staging.insert(rows, of: resource, on: page, number, sync: sync, $0)
        }
    }

    /// Stages users who changed or are new, and those who are gone, in place of a list. Returns the number of those who are
    /// gone, and whether a record can't be taken without the full list.
    package func stageChanges(
        _ page: Page<User>, _ sync: Int
    ) async throws -> (gone: Int, needsList: Bool) {
        isTidy.store(false, ordering: .relaxed)
        return try await run(.stage) { [userRow] in try StagedChanges.insert(page, sync: sync, userRow, $0) }
    }

    /// The stamps of the cached records with these ids, or these digests of ids that are left out.
    package func stamps(_ ids: [String]) async throws -> [String: String] {
        try await run { try Stamps.stored(ids, $0) }
    }

    /// Those of the ids that the staged changes name.
    package func named(_ ids: [String], _ sync: Int) async throws -> Set<String> {
        try await run {
            try Staging.check(.users, sync: sync, $0)
            return try StagedChanges.named(ids, $0)
        }
    }

    /// Goes on with the full list, after changes were staged: the commit compares it with them, see `RowChanges.unnamed`.
    /// - Parameter ofAll: whether the changes name who came and went. If not, those who did are not compared.
    package func beginComparedList(_ sync: Int, ofAll: Bool = true) async throws {
        try await run { try StagedChanges.beginComparedList(sync: sync, ofAll: ofAll, $0) }
    }

    /// Stages the cached records of an unchanged page, with its new version. Returns how many of them were
    /// already staged; nil, without effect, if the page is no longer cached.
    package func stageSame(
        _ resource: Resource, _ page: Int, _ known: KnownPage, _ sync: Int
    ) async throws -> Int? {
        try await run(.stageSame) {
            try Staging.stageSame(page: page, known: known, of: resource, sync: sync, $0)
        }
    }

    /// Stages all cached records unchanged. Returns their number.
    package func stageSameList(_ resource: Resource, _ sync: Int) async throws -> Int {
        try await run { try Staging.stageSameList(resource, sync: sync, $0) }
    }

    /// Clears the staging area of this sync.
    package func beginAgain(_ resource: Resource, _ sync: Int) async throws {
        try await run { try Staging.beginAgain(resource, sync: sync, $0) }
    }

    /// Replaces the cached rows with the staged ones, except for missing users who stay by the rule, and writes the
    /// transition that `decide` returns, in one transaction. If `decide` throws, nothing changes and the error is
    /// rethrown.
    package func commit(
        _ resource: Resource, _ sync: Int, _ rule: RemovalRule,
        _ decide: @Sendable (RowChanges) throws -> Change
    ) async throws -> Change {
        let (change, rows) = try await run(.commit(resource)) { [self] connection in
            var recorded: Change?
            var rows = RowChanges()
            // The log is copied into the file later, after the commit was reported: see tidy.
            try connection.execute("PRAGMA wal_autocheckpoint = 0")
            defer { try? connection.execute("PRAGMA wal_autocheckpoint = 1000") }
            do {
                try connection.immediate {
                    let change = try replaceRows(resource, sync, rule, connection) {
                        rows = $0
                        if rows.changes != Changes() { isTidy.store(false, ordering: .relaxed) }
                        return try decide(rows)
                    }
                    recorded = try history.record(change, connection)
                }
            } catch {
                // SQLite commits the attached files one after the other. If the temporary one fails for lack
                // of space, SQLite reports a failure although the cache's commit succeeded.
                guard let recorded, try History.has(recorded.transition, connection) else { throw error }
            }
            guard let recorded else { throw CancellationError() }
            if rows.changes != Changes() { connections.removeEarlierCopies() }
            return (recorded, rows)
        }
        try await before(.committed(resource, rows))
        return change
    }

    /// Returns what `decide` makes of the changes.
    private func replaceRows(
        _ resource: Resource, _ sync: Int, _ rule: RemovalRule, _ connection: Connection,
        _ decide: (RowChanges) throws -> Change
    ) throws -> Change {
        try Staging.check(resource, sync: sync, connection)
        let change: Change
        if try Staging.isSameList(resource, connection) {
            let count = try connection.firstInt("SELECT count(*) FROM \(resource)") ?? 0
            let others = try resource == .users ? UserRows.others(connection) : OtherRows()
            change = try decide(RowChanges(before: count, after: count, others: others))
        } else {
            switch resource {
            case .users: change = try UserRows.commit(rule, connection, decide)
            case .facts:
                change = try factRows.commit(connection, decide)
                try Pages.commit(.facts, connection)
            }
        }
        try Staging.end(resource, connection)
        return change
    }

    /// Empties the staging area of a sync that was not committed, and frees its space.
    package func dropStaging(_ resource: Resource, _ sync: Int) async {
        do {
            try await before(.dropStaging(sync: sync))
            try await database.run { try Staging.drop(resource, sync: sync, $0) }
            await tidy()
        } catch {
            // Emptying a table also needs space. Closing the connection removes the table.
            await database.drop()
        }
    }

    /// Frees the memory of a sync and cuts the write-ahead log. Call after each sync.
    package func tidy() async {
        let isLogShort = isTidy.exchange(true, ordering: .relaxed)
        let isCut = try? await run(.tidy) { connection in
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

    /// Caches one fact and updates the count in the state of facts. Returns the fact as cached, and the count.
    package func addFact(_ fact: Fact) async throws -> (fact: Fact, count: Int) {
        try await write(.addFact) { [self] in try factRows.add(fact, $0) }
    }

    /// Saves the last pause or resume; nil removes it.
    package func savePause(_ pause: SavedPause?) async throws {
        _ = try await run(.savePause) {
            try $0.run(
                "UPDATE cache SET paused = ?, paused_setting = ?",
                [pause.map { $0.paused.value } ?? .null, pause.map { $0.setting.value } ?? .null])
        }
    }

    /// Throws `CacheError.gone` if the file was removed or replaced.
    package func refuseGone() async throws { try await run { _ in } }

    /// Rolls back a running commit, for a quick exit; later long writes fail.
    package func interrupt() { database.interrupt() }

    /// Changes how many are kept, from the next write on.
    package func setRetention(facts: Int, transitions: Int) {
        retention.withLock { $0 = (facts, transitions) }
    }

    package func close() async { await database.close() }

    private var factRows: FactRows { FactRows(maximum: retention.withLock { $0.facts }) }
    private var history: History { History(maximumHistory: retention.withLock { $0.transitions }) }

    func run<T: Sendable>(
        _ call: CacheCall? = nil, _ body: @Sendable (Connection) throws -> T
    ) async throws -> T {
        if let call { try await before(call) }
        return try await translatingStorage {
            try await database.run { [connections] connection in
                // On the database's executor, because the check may block.
                try connections.refuseLost()
                return try body(connection)
            }
        }
    }

    /// Runs a transaction.
    func write<T: Sendable>(
        _ call: CacheCall? = nil, _ body: @Sendable (Connection) throws -> T
    ) async throws -> T {
        try await run(call) { connection in try connection.immediate { try body(connection) } }
    }
}

package struct Restored: Hashable, Sendable {
    package var epoch: String
    package var lastIndex: Int
    package var pause: SavedPause?
    package var resources: [Resource: SavedResource]
    /// Consecutive attempts up to the last interrupted sync; missing if a later sync has ended otherwise.
    package var interrupted: [Resource: Int]
}
