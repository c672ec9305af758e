import Cache
import Model
import SQLite
import TestSupport
import Testing

@Suite("Writes of pictures to the cache")
struct PictureWritesTests {
    @Test("Recording that a picture is unchanged writes no content")
    func smallWrites() async throws {
        let directory = try TemporaryDirectory()
        let path = directory.file("c.db")
        let cache = try await openCache(path)
        try await cache.pictures.prefetch([.thumbnail])
        var ada = user("1", "Ada", "Lovelace")
        ada.picture = User.Picture(thumbnail: "t/a")
        try await cache.sync(users: [ada])
        let large = FetchedPicture(
            content: Array(repeating: 7, count: 1 << 20), contentType: "image/png",
            validators: Validators(etag: "\"1\""))
        try await cache.pictures.settle("t/a", .fetched(large), start)
        let connection = try Connection(path: path, access: .readWrite)
        try connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        try await cache.pictures.settle("t/a", .unchanged, start + .seconds(1000))
        let pages = try connection.first("PRAGMA wal_checkpoint(PASSIVE)") { try $0.int(1) }
        #expect(try #require(pages) < 10)
        #expect(try await cache.reader.picture("1", .thumbnail).picture == large)
        await cache.close()
    }
}
