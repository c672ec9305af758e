import Model
import SQLite

extension Cache {
    /// What of a cache can be set when it is opened, apart from what every cache needs.
    package struct Options: Sendable {
        /// The fields of users that records and the search have.
        package var fields = UserField.all
        /// The oldest facts beyond this number are removed.
        package var maximumFacts = 10_000
        /// Number of transitions to keep.
        package var maximumHistory = 10_000
        /// Number of read connections. A cache in memory has one connection for everything.
        package var readers = 4
        /// Maximum time of a read.
        package var readLimit: Duration = .seconds(2)
        package var sqlite = sqliteVersion
        /// Name of SQLite's file system layer; nil for its default.
        package var vfs: String?
        /// Runs blocking writes; nil for a thread of their own.
        package var executor: (any TaskExecutor)?
        /// Runs blocking reads; nil for threads of their own.
        package var readExecutor: (any TaskExecutor)?
        /// Further settings of the write connection.
        package var configure: @Sendable (Connection) throws -> Void = { _ in }
        /// Called before the write connection is opened; throws if another daemon uses the cache.
        package var lock: @Sendable () throws -> Void = {}
        /// Called when the file can't be used any more, perhaps repeatedly: at once if damage is found; before a write, or
        /// by `refuseGone`, if the file or its log is found removed or replaced.
        package var lost: @Sendable (CacheLoss) -> Void = { _ in }
        /// Texts that no message of the history may quote any more.
        package var hidden: [String] = []
        /// Called repeatedly during a migration, with the schema version.
        package var migrating: @Sendable (_ schema: Int) -> Void = { _ in }
        /// Called before some of the cache's calls, and after a commit, which it may then only note. Tests make calls fail, wait
        /// or note them; userd does not set it.
        package var before: CacheSeam = { _ in }
    }
}

/// What it throws is the call's failure.
package typealias CacheSeam = @Sendable (CacheCall) async throws -> Void

package enum CacheCall: Hashable, Sendable {
    case addFact, beginStaging, book, record, requireWritable, savePause, stage, stageSame, tidy
    case commit(Resource), dropStaging(sync: Int)
    /// A commit that has succeeded, before it returns.
    case committed(Resource, RowChanges)
}
