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

    /// Makes the calls of a daemon fail that is dead, or while the disk is full.
    func seam(
        isDead: @escaping @Sendable () -> Bool,
        committed: @escaping @Sendable (Resource, RowChanges) -> Void
    ) -> CacheSeam {
        { [self] call in
            switch call {
            case .committed(let resource, let rows): committed(resource, rows)
            case .requireWritable, .tidy, .dropStaging, .book: break
            case .record, .beginStaging, .stage, .stageSame, .commit, .addFact, .savePause:
                if isDead() { throw CancellationError() }
                try contents.withLock {
                    guard time.now < $0.isFullUntil else { return }
                    $0.refused = time.now
                    throw CacheError.storage("the disk is full")
                }
            }
        }
    }
}
