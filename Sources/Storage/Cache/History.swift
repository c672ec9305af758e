import Model
import SQLite

/// The numbered transitions of all resources, and each resource's state.
struct History {
    var maximumHistory: Int

    func record(_ change: Change, _ connection: Connection) throws -> Change {
        let (epoch, last) = try Self.sequence(connection)
        let index = last + 1
        func numbered(_ state: State) -> State {
            var state = state
            state.epoch = epoch
            state.index = index
            return state
        }
        var change = change
        change.transition = numbered(change.transition)
        change.resource.state = numbered(change.resource.state)
        try connection.run("UPDATE cache SET last_index = ?", [index.value])
        try connection.run(
            "INSERT INTO transitions (number, resource, state) VALUES (?, ?, ?)",
            [index.value, change.transition.resource.rawValue.value, .text(try json(change.transition))])
        try connection.run("DELETE FROM transitions WHERE number <= ?", [(index - maximumHistory).value])
        try Self.save([change.resource], connection)
        return change
    }

    /// Replaces the messages of failures that quote one of these texts.
    static func removeMessages(quoting texts: [String], _ connection: Connection) throws {
        var changed = 0
        for (table, column) in [("transitions", "state"), ("resources", "state"), ("resources", "before")] {
            for text in texts {
                changed += try connection.run(
                    """
                    UPDATE \(table) SET \(column) = json_replace(\(column), '$.failure.message', ?)
                    WHERE CASE WHEN json_valid(\(column)) THEN instr(\(column) ->> '$.failure.message', ?) > 0 END
                    """, [.text("this message was removed, since it may have held a secret"), .text(text)])
            }
        }
        // Until then, the file has the pages as they were.
        if changed > 0 { try connection.execute("PRAGMA wal_checkpoint(TRUNCATE)") }
    }

    /// Whether exactly this transition is stored.
    static func has(_ transition: State, _ connection: Connection) throws -> Bool {
        try connection.first(
            "SELECT state FROM transitions WHERE number = ?", [transition.index.value]
        ) { try $0.text(0) } == json(transition)
    }

    /// Also returns what is saved; a new cache has no resources.
    static func restore(
        _ wanted: Set<Resource>, now: Timestamp, _ connection: Connection
    ) throws -> (Restored, found: [Resource: SavedResource]) {
        let (epoch, last) = try sequence(connection)
        let found = try saved(connection)
        var restored = Restored(epoch: epoch, lastIndex: last, resources: found, interrupted: [:])
        for resource in wanted {
            restored.resources[resource] =
                found[resource] ?? .created(resource, epoch: epoch, now: now)
            let ended = try newest(2, of: resource, connection).first { $0.phase != .syncing }
            if let ended, ended.cause == .interrupted {
                restored.interrupted[resource] = ended.failure?.attempts
            }
        }
        restored.pause = try connection.first(
            "SELECT paused, paused_setting FROM cache WHERE paused NOT NULL AND paused_setting NOT NULL"
        ) { SavedPause(paused: try $0.int(0) != 0, setting: try $0.int(1) != 0) }
        return (restored, found)
    }

    static func sequence(_ connection: Connection) throws -> (epoch: String, last: Int) {
        let row = try connection.first("SELECT epoch, last_index FROM cache") {
            (try $0.text(0), try $0.int(1))
        }
        guard let row else { throw SQLiteError.damage("the epoch is missing") }
        return row
    }

    static func saved(_ connection: Connection) throws -> [Resource: SavedResource] {
        var resources: [Resource: SavedResource] = [:]
        try readingOwn {
            try connection.forEach(
                "SELECT state, before, interval_ms, source, asked, list, notes, changes FROM resources"
            ) { row in
                let saved = SavedResource(
                    state: try decoded(State.self, from: try row.text(0)),
                    before: try row.textOrNil(1).map { try decoded(State.self, from: $0) },
                    interval: .milliseconds(try row.int64(2)), source: try row.textOrNil(3),
                    attemptedSource: try row.textOrNil(4),
                    list: try row.textOrNil(5).flatMap { try? decoded(KnownPage.self, from: $0) },
                    notes: try row.textOrNil(6).flatMap { try? decoded(ListNotes.self, from: $0) },
                    changes: try row.textOrNil(7).flatMap { try? decoded(TrackedChanges.self, from: $0) })
                resources[saved.state.resource] = saved
            }
        }
        return resources
    }

    static func newest(_ limit: Int, of resource: Resource?, _ connection: Connection) throws -> [State] {
        var filter = Filter()
        filter.add("resource = ?", resource?.rawValue.value)
        return try readable(
            "SELECT state FROM transitions \(filter.clause) ORDER BY number DESC", filter.bindings,
            limit: limit, connection)
    }

    static func list(
        _ after: Int, _ through: Int, _ resources: [Resource], limit: Int, _ connection: Connection
    ) throws -> [State] {
        let names = resources.map { "'\($0.rawValue)'" }.joined(separator: ", ")
        return try readable(
            """
            SELECT state FROM transitions WHERE number > ? AND number <= ? AND resource IN (\(names))
            ORDER BY number
            """, [after.value, through.value], limit: limit, connection)
    }

    /// The states that can be read: the others are in no list.
    private static func readable(
        _ sql: String, _ bindings: [Value], limit: Int, _ connection: Connection
    ) throws -> [State] {
        var states: [State] = []
        guard limit > 0 else { return [] }
        try connection.scan(sql, bindings) { row in
            if let state = try? decoded(State.self, from: try row.text(0)) { states.append(state) }
            return states.count < limit
        }
        return states
    }

    /// Turns a value that can't be read into damage: userd can't work without these tables.
    private static func readingOwn<T>(_ body: () throws -> T) throws -> T {
        do {
            return try body()
        } catch let error as SQLiteError where error.isMisfit {
            throw SQLiteError.damage(error.message)
        } catch CacheError.storage(let reason) {
            throw SQLiteError.damage(reason)
        }
    }

    static func save(_ resources: some Sequence<SavedResource>, _ connection: Connection) throws {
        for resource in resources {
            try connection.run(
                """
                INSERT OR REPLACE INTO resources (
                    resource, state, before, interval_ms, source, asked, list, notes, changes
                ) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
                """,
                [
                    resource.state.resource.rawValue.value, try json(resource.state).value,
                    try resource.before.map(json).value, resource.interval.milliseconds.value,
                    resource.source.value, resource.attemptedSource.value,
                    try resource.list.map(json).value, try resource.notes.map(json).value,
                    try resource.changes.map(json).value,
                ])
        }
    }
}
