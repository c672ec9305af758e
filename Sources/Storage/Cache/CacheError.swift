import Model
import SQLite

/// An error of the cache; its description is for people.
package enum CacheError: Error, Hashable, Sendable {
    case absent(path: String)
    /// The file exists but can't be used.
    case unusable(path: String, reason: String, advice: String = "name another file with --database")
    /// The file was removed or replaced while it was open.
    case gone(path: String)
    /// The file is damaged or not a database: userd sets it aside and begins a new one.
    case damaged(String)
    /// SQLite failed: the disk is full, or the file is locked.
    case storage(String)
    /// A read took longer than this and was stopped.
    case slow(Duration)
    case notFound(key: String)
    /// The key is a username or address of several users, whose ids are given.
    case ambiguous(key: String, ids: [String])
    case noFacts
    case invalidCursor(String)
    /// The named parameter is out of range.
    case invalidParameter(String)
}

extension CacheError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .absent(let path): "there is no cache at \(path)"
        case .unusable(let path, let reason, let advice): "\(path): \(reason); \(advice)"
        case .gone(let path):
            "\(path) was removed or replaced while userd had it open; restart userd, which creates a new cache"
        case .damaged(let reason):
            "it is damaged (\(reason)); userd sets it aside and fetches everything again"
        case .storage(let reason): reason
        case .slow(let limit):
            "reading took longer than \(limit / .seconds(1)) s and was stopped; search for fewer or longer words"
        case .notFound(let key): "no user has the id, username or email address “\(key)”"
        case .ambiguous(let key, let ids):
            "“\(key)” belongs to \(ids.count) users: \(ids.joined(separator: ", "))"
        case .noFacts: "no cached fact matches"
        case .invalidCursor:
            "the cursor belongs to another query, or too much has changed since; start the list again"
        case .invalidParameter(let name): "\(name) is out of range"
        }
    }
}

/// Turns SQLite's errors into `CacheError.damaged` and `CacheError.storage`.
func translatingStorage<T>(_ body: () async throws -> T) async throws -> T {
    do {
        return try await body()
    } catch let error as SQLiteError where error.isDamage {
        throw CacheError.damaged(error.reason)
    } catch let error as SQLiteError {
        throw CacheError.storage("\(error.reason) (SQLite error \(error.code))")
    }
}
