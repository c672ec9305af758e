import Model
import SQLite

/// What the cache can't do, in words for people.
package enum CacheError: Error, Hashable, Sendable {
    /// There is no cache file.
    case absent(path: String)
    /// The file is there and can't be used as it is.
    case unusable(path: String, reason: String, advice: String)
    /// The file was removed, or another put in its place, while it was open.
    case gone(path: String)
    /// SQLite refused: the disk is full, the file is locked, or worse.
    case storage(String)
    case notFound(key: String)
    /// A username or address that belongs to several users, whose ids these are.
    case ambiguous(key: String, ids: [String])
    case noFacts
    case invalidCursor(String)
    /// A parameter that is out of its range, by its name.
    case invalidParameter(String)
}

extension CacheError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .absent(let path): "there is no cache at \(path)"
        case .unusable(let path, let reason, let advice): "\(path): \(reason); \(advice)"
        case .gone(let path):
            "\(path) was removed, or another file put in its place, while userd had it open: userd has to start again, with a new one"
        case .storage(let reason): reason
        case .notFound(let key): "no user has the id, username or email address “\(key)”"
        case .ambiguous(let key, let ids):
            "“\(key)” belongs to \(ids.count) users: \(ids.joined(separator: ", "))"
        case .noFacts: "no fact is cached that fits"
        case .invalidCursor:
            "the cursor does not belong to this query, or too much has changed since it was given: begin the list anew"
        case .invalidParameter(let name): "\(name) is out of range"
        }
    }
}

/// Runs what SQLite may refuse, and says that in the cache's words.
func translatingStorage<T>(_ body: () async throws -> T) async throws -> T {
    do {
        return try await body()
    } catch let error as SQLiteError {
        throw CacheError.storage("\(error.reason) (SQLite error \(error.code))")
    }
}
