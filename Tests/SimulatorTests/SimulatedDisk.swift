import Cache
import Model
import SQLite
import Synchronization
import TestSupport

/// A cache file that outlives daemons, may refuse writes, and can be read independently of them.
final class SimulatedDisk: Sendable {
    struct Contents {
        var isFullUntil = Duration.zero
        /// When a write was last refused.
        var refused: Duration?
        /// A request has accepted removals since the last sync of users ended.
        var acceptsRemovals = false
        var users: Set<String> = []
    }

    let path: String
    let contents = Mutex(Contents())
    private let directory: TemporaryDirectory
    private let time: SimulatedTime

    init(time: SimulatedTime) throws {
        directory = try TemporaryDirectory()
        path = directory.file("userd.db")
        self.time = time
    }

    func ids(of resource: Resource) throws -> Set<String> {
        try reading { Set(try $0.rows("SELECT id FROM \(resource.rawValue)") { try $0.text(0) }) }
    }

    /// All kept transitions, oldest first.
    func history() throws -> [State] {
        try reading { connection in
            try connection.rows("SELECT state FROM transitions ORDER BY number") { row in
                try decoded(State.self, from: try row.bytes(0))
            }
        }
    }

    private func reading<T>(_ body: (Connection) throws -> T) throws -> T {
        let connection = try Connection(path: path, access: .readOnly)
        defer { connection.close() }
        return try body(connection)
    }

    /// A daemon's writer, which stops writing when the daemon is killed.
    func writer(
        _ writer: CacheWriter, isDead: @escaping @Sendable () -> Bool,
        committed: @escaping @Sendable (Resource, RowChanges) -> Void
    ) -> CacheWriter {
        @Sendable func check() throws {
            if isDead() { throw CancellationError() }
            try contents.withLock {
                guard time.now < $0.isFullUntil else { return }
                $0.refused = time.now
                throw CacheError.storage("the disk is full")
            }
        }
        var checked = writer
        checked.record = {
            try check()
            return try await writer.record($0)
        }
        checked.beginStaging = {
            try check()
            try await writer.beginStaging($0, $1)
        }
        checked.stageUsers = {
            try check()
            return try await writer.stageUsers($0, $1, $2)
        }
        checked.stageFacts = {
            try check()
            return try await writer.stageFacts($0, $1, $2)
        }
        checked.stageSame = {
            try check()
            return try await writer.stageSame($0, $1, $2, $3)
        }
        checked.addFact = {
            try check()
            return try await writer.addFact($0)
        }
        checked.savePause = {
            try check()
            try await writer.savePause($0)
        }
        checked.commit = { resource, sync, rule, decide in
            try check()
            return try await writer.commit(resource, sync, rule) { rows in
                let change = try decide(rows)
                committed(resource, rows)
                return change
            }
        }
        return checked
    }
}
