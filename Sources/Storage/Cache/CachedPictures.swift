import Model
import SQLite

/// The pictures in a cache file, read on the caller's thread, for programs that look up many.
package final class CachedPictures {
    private let connection: Connection
    /// Whether the file had no pictures when it was opened.
    package let isEmpty: Bool

    /// Opens the file, read-only.
    package init(path: String) throws {
        let connection = try CacheFile.openToRead(path)
        try Migrator.cache.check(connection)
        isEmpty = try connection.firstInt("SELECT 1 FROM picture_contents") == nil
        self.connection = connection
    }

    /// The first cached picture of these addresses; nil also if the file can no longer be read.
    package func first(of urls: [String]) -> FetchedPicture? {
        for url in urls {
            guard let found = try? PictureRows.content(at: url, connection) else { continue }
            return connection.isUnchanged?() == false ? nil : found.picture
        }
        return nil
    }
}
