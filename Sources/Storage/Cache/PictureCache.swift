import Model
import SQLite

/// Cached pictures, by address. Throws `CacheError`.
///
/// A picture is removed with its last user, in the commit that removes the user or changes the address.
package struct PictureCache: Sendable {
    /// Sets which sizes are fetched ahead. Pictures of these sizes that were never fetched become due; those of sizes that
    /// no longer are fetched ahead are removed.
    package var prefetch: @Sendable (Set<PictureSize>) async throws -> Void
    /// Due pictures, longest due first.
    package var due: @Sendable (DueQuery) async throws -> [DuePicture]
    /// Total size of all pictures.
    package var bytes: @Sendable () async throws -> Int
    /// Writes the outcome of a due picture's fetch, and when it is due again (nil: never). Does nothing if no
    /// user has the picture now.
    package var settle: @Sendable (_ url: String, PictureOutcome, _ dueAt: Timestamp?) async throws -> Void
    /// Stores a picture that was fetched on demand, if the user still has it and the total stays within
    /// `maximumBytes`.
    package var keep: @Sendable (FoundPicture, _ dueAt: Timestamp?, _ maximumBytes: Int) async throws -> Void
    /// Digests pictures that an earlier version cached, so that address books can have them. Takes a second for some
    /// hundred MiB.
    package var digest: @Sendable () async throws -> Void
}

package struct DueQuery: Hashable, Sendable {
    package var before: Timestamp
    /// Pictures after it are due, too: a clock that was ahead has set their time.
    package var latest: Timestamp?
    package var limit: Int
    /// Excludes pictures that were never fetched.
    package var isCachedOnly = false
    /// Beginnings of addresses to exclude, each of one host: the address ends there, or goes on with `/`, `?`
    /// or `#`.
    package var leftOut: Set<String> = []

    package init(before: Timestamp, limit: Int) { (self.before, self.limit) = (before, limit) }
}

package struct DuePicture: Hashable, Sendable {
    package var url: String
    package var validators: Validators?
    package var bytes: Int?
}

package enum PictureOutcome: Hashable, Sendable {
    case fetched(FetchedPicture)
    case unchanged
    /// Upstream no longer has the picture: removes the cached one.
    case absent
    /// The fetch failed: keeps the cached picture.
    case failed
}

package struct FoundPicture: Hashable, Sendable {
    package var userID: String
    /// The requested size, or the one that was chosen.
    package var size: PictureSize
    /// The picture's address; nil if upstream has no picture of this size.
    package var url: String?
    package var picture: FetchedPicture?
    /// Whether upstream may have another version of it.
    package var isOutdated = false
}

extension PictureCache {
    static func live(_ writer: CacheWriter) -> PictureCache {
        PictureCache(
            prefetch: { sizes in while try await (writer.write { try PictureRows.prefetch(sizes, $0) }) {} },
            due: { query in try await writer.run { try PictureRows.due(query, $0) } },
            bytes: { try await writer.run { try PictureRows.bytes($0) } },
            settle: { url, outcome, dueAt in
                try await writer.write { try PictureRows.settle(url, outcome, dueAt: dueAt, $0) }
            },
            keep: { kept, dueAt, maximumBytes in
                try await writer.write {
                    try PictureRows.keep(kept, dueAt: dueAt, maximumBytes: maximumBytes, $0)
                }
            },
            digest: {
                var last: Int? = 0
                while let number = last, !Task.isCancelled {
                    last = try await writer.write { try PictureRows.digest(after: number, $0) }
                }
            })
    }
}
