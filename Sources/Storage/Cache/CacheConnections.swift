import Model
import Platform
import SQLite
import Synchronization

/// Opens the connections to one cache, and finds out whether its file is still there.
final class CacheConnections: Sendable {
    /// Runs blocking reads.
    let readExecutor: any TaskExecutor
    private let path: String
    private let isFile: Bool
    private let newEpoch: String
    private let now: @Sendable () -> Timestamp
    let options: Cache.Options
    /// The file as it was opened.
    private let found = Mutex<CacheFile.Snapshot?>(nil)
    private let hindersWriter = Atomic(false)

    init(
        _ path: String, newEpoch: String, now: @escaping @Sendable () -> Timestamp, _ options: Cache.Options
    ) {
        (self.path, isFile, self.newEpoch) = (path, path != ":memory:", newEpoch)
        (self.now, self.options) = (now, options)
        // Calls run there, too, and not all of them read.
        readExecutor = options.readExecutor ?? ThreadPool("sqlite reads", limit: options.readers + 2)
    }

    /// Nil for a cache in memory, which has one connection for everything.
    func readers() -> ReaderPool? {
        guard isFile else { return nil }
        return ReaderPool(
            (0..<options.readers).map { _ in
                Database(executor: readExecutor, damaged: noteDamage) { [self] in
                    let connection = try openToRead()
                    // 16 MiB, because a search reads users scattered over the file, and reads them twice.
                    try connection.execute("PRAGMA cache_size = -16384")
                    return connection
                }
            })
    }

    /// - Parameter readers: closed before the writer is opened, if they hinder it.
    func writer(_ readers: ReaderPool?) -> Database {
        Database(
            executor: options.executor, damaged: noteDamage, examine: isFile ? examine : nil,
            isOutdated: { [self] in
                guard hindersWriter.exchange(false, ordering: .relaxed) else { return false }
                await readers?.drop()
                return true
            }, reopens: isFile, opening: openToWrite)
    }

    /// Reads what clients read first, to find damage there before userd reports that it is ready. A cache with the
    /// current schema need not be writable: each write tries to open the file again.
    func requireReadable(_ writer: Database, _ readers: ReaderPool?) async throws {
        do {
            try await writer.run(lookAtFirst)
        } catch let error where (error as? SQLiteError)?.forbidsWriting ?? (error is CacheError) {
            guard let readers else { throw error }
            do {
                try await readers.run {
                    try Migrator.cache.check($0)
                    try lookAtFirst($0)
                }
            } catch MigrationError.older {
                throw error
            } catch let other as SQLiteError where other.forbidsWriting {
                throw error
            }
            found.withLock { $0 = $0 ?? CacheFile.Snapshot(path) }
        }
    }

    /// Throws `CacheError.gone` if the file was removed or replaced.
    private func refuseGone() throws {
        guard let file = found.withLock({ $0 }) else { return }
        do {
            try file.refuseGone()
        } catch {
            options.lost(.gone)
            throw error
        }
    }

    /// Throws `CacheError.gone` if the file was removed or replaced; reports it if that happened to the log alone.
    func refuseLost() throws {
        try refuseGone()
        if found.withLock({ $0 })?.isWithoutLog == true { options.lost(.logRemoved) }
    }

    /// Call when this cache has rows of its own.
    func removeEarlierCopies() {
        if isFile { SetAside.removeEarlier(of: path, now: now()) }
    }

    private func openToRead() throws -> sending Connection {
        let connection = try CacheFile.openToRead(path, vfs: options.vfs)
        if CacheFile.hindersWriter(connection, path) { hindersWriter.store(true, ordering: .relaxed) }
        return connection
    }

    @Sendable private func openToWrite() throws -> sending Connection {
        try options.lock()
        try refuseGone()
        let connection = try Connection(path: path, access: .readWriteCreate, vfs: options.vfs)
        // Overwrites what is deleted. Debian's SQLite does so by itself, others do not.
        try connection.execute("PRAGMA main.secure_delete = ON")
        try Migrator.cache.migrate(connection, now: now().description, progress: options.migrating)
        // 16 MiB, because changed rows and their index entries are scattered over the file.
        try connection.execute("PRAGMA cache_size = -16384")
        try Staging.create(connection)
        if try connection.firstInt("SELECT 1 FROM cache") == nil {
            try connection.run(
                "INSERT INTO cache (id, epoch, last_index) VALUES (1, ?, 0)", [newEpoch.value])
        }
        try History.removeMessages(quoting: options.hidden, connection)
        try options.configure(connection)
        if isFile {
            // SQLite may have begun a new log.
            guard let file = CacheFile.Snapshot(path) else {
                options.lost(.gone)
                throw CacheError.gone(path: path)
            }
            found.withLock { $0 = file }
        }
        return connection
    }

    /// Uses its own connection, so that the writer goes on.
    @Sendable private func examine() async throws -> String? {
        let examined = Database(executor: readExecutor, damaged: noteDamage) { [self] in try openToRead() }
        let finding = try await examined.run { try $0.damage() }
        await examined.close()
        return finding
    }

    @Sendable private func noteDamage(_ error: SQLiteError) { options.lost(.damaged(error.reason)) }
}
