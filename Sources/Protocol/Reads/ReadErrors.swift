import Cache
import UserdAPI
import Varlink

package func translatingErrors<T>(_ body: () async throws -> T) async throws -> T {
    do {
        return try await body()
    } catch let error as CacheError {
        throw error.wire
    }
}

extension CacheError {
    package var wire: VarlinkError {
        switch self {
        // Errors repeat the client's text, and must not be as long as a client likes.
        case .notFound(let key) where key.isTooLong, .ambiguous(let key, _) where key.isTooLong:
            .invalidParameter("key")
        case .invalidCursor(let cursor) where cursor.isTooLong: .invalidParameter("cursor")
        case .notFound(let key): UserdError.notFound(key: key).wire
        case .ambiguous(let key, let ids): UserdError.ambiguous(key: key, ids: ids).wire
        case .noFacts: UserdError.noFacts.wire
        case .invalidCursor(let cursor): UserdError.invalidCursor(cursor: cursor).wire
        case .invalidParameter(let name): .invalidParameter(name)
        case .absent, .unusable, .gone, .damaged, .storage, .slow:
            UserdError.cacheUnavailable(message: description).wire
        }
    }
}

extension String {
    fileprivate var isTooLong: Bool { utf8.count > VarlinkError.echoedBytes }
}
