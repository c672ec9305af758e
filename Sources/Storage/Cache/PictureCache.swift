import Model
import SQLite

/// The pictures in the cache, by their addresses. What goes wrong is thrown as a `CacheError`.
///
/// A picture goes with the last user who has it, in the commit that removes the user or gives them another.
package struct PictureCache: Sendable {
    /// Says which sizes are fetched ahead from now on. Those of them that never were fetched are due at once.
    package var prefetch: @Sendable (Set<PictureSize>) async throws -> Void
    /// Pictures that are due, the longest due first.
    package var due: @Sendable (DueQuery) async throws -> [DuePicture]
    /// Of all contents.
    package var bytes: @Sendable () async throws -> Int
    /// Writes what came of asking for a picture that was due, and when it will be again; nil: never. Nothing happens where
    /// it is nobody's any more.
    package var settle: @Sendable (_ url: String, PictureOutcome, _ dueAt: Timestamp?) async throws -> Void
    /// Keeps a user's picture that was not due, if it is still theirs and the contents stay within `maximumBytes`.
    package var keep: @Sendable (KeptPicture, _ dueAt: Timestamp?, _ maximumBytes: Int) async throws -> Void
}

package struct DueQuery: Hashable, Sendable {
    package var before: Timestamp
    package var limit: Int
    /// Leaves out those of which the cache has nothing yet.
    package var isCachedOnly: Bool
    /// Leaves out those whose addresses begin so.
    package var leftOut: Set<String>

    package init(before: Timestamp, limit: Int, isCachedOnly: Bool = false, leftOut: Set<String> = []) {
        self.before = before
        self.limit = limit
        self.isCachedOnly = isCachedOnly
        self.leftOut = leftOut
    }
}

package struct DuePicture: Hashable, Sendable {
    package var url: String
    /// Of what is cached; nil where nothing is, or its version has no name.
    package var validators: Validators?
    /// Of what is cached; nil where nothing is.
    package var bytes: Int?

    package init(url: String, validators: Validators? = nil, bytes: Int? = nil) {
        self.url = url
        self.validators = validators
        self.bytes = bytes
    }
}

package enum PictureOutcome: Hashable, Sendable {
    case fetched(FetchedPicture)
    case unchanged
    /// What is cached stays.
    case failed
}

package struct KeptPicture: Hashable, Sendable {
    package var userID: String
    package var size: PictureSize
    package var url: String
    package var picture: FetchedPicture

    package init(userID: String, size: PictureSize, url: String, picture: FetchedPicture) {
        self.userID = userID
        self.size = size
        self.url = url
        self.picture = picture
    }
}

/// What the cache has for who asks for a user's picture.
package struct FoundPicture: Hashable, Sendable {
    package var userID: String
    /// The size that was asked for, or else the one that is at hand or to be fetched.
    package var size: PictureSize
    /// Nil where upstream has no such picture.
    package var url: String?
    /// Nil where it is not cached.
    package var picture: FetchedPicture?

    package init(userID: String, size: PictureSize, url: String?, picture: FetchedPicture? = nil) {
        self.userID = userID
        self.size = size
        self.url = url
        self.picture = picture
    }
}

extension PictureCache {
    static func live(_ database: Database) -> PictureCache {
        @Sendable func write<T: Sendable>(
            _ body: @escaping @Sendable (Connection) throws -> T
        ) async throws -> T {
            try await translatingStorage {
                try await database.run { connection in try connection.immediate { try body(connection) } }
            }
        }
        return PictureCache(
            prefetch: { sizes in try await write { try PictureRows.prefetch(sizes, $0) } },
            due: { query in
                try await translatingStorage { try await database.run { try PictureRows.due(query, $0) } }
            },
            bytes: { try await translatingStorage { try await database.run(PictureRows.bytes) } },
            settle: { url, outcome, dueAt in
                try await write { try PictureRows.settle(url, outcome, dueAt: dueAt, $0) }
            },
            keep: { kept, dueAt, maximumBytes in
                try await write { try PictureRows.keep(kept, dueAt: dueAt, maximumBytes: maximumBytes, $0) }
            })
    }
}
