import Glibc
import Migrations
import Model
import SQLite
import TestSupport
import Testing

@testable import Cache

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

    @Test(
        "Of sizes that are no longer fetched ahead only what somebody looked at stays, however many pictures there are"
    )
    func sizes() async throws {
        let cache = try await openCache()
        let count = 250
        try await cache.sync(
            users: (0..<count).map { number in
                var person = user("\(number)")
                person.picture = User.Picture(
                    large: "l/\(number)", medium: "m/\(number)", thumbnail: "t/\(number)")
                return person
            })
        let picture = FetchedPicture(content: [1, 2], contentType: "image/png")
        try await cache.pictures.keep(
            FoundPicture(userID: "7", size: .large, url: "l/7", picture: picture), nil, 10)
        try await cache.pictures.prefetch([.thumbnail, .medium])
        for number in 0..<count {
            for size in "mt" { try await cache.pictures.settle("\(size)/\(number)", .fetched(picture), nil) }
        }
        for (sizes, left) in [([.thumbnail], count + 1), ([], 1)] as [(Set<PictureSize>, Int)] {
            try await cache.pictures.prefetch(sizes)
            #expect(try await cache.pictures.bytes() == 2 * left)
            #expect(try await cache.pictures.due(DueQuery(before: start + .seconds(1000), limit: 9)) == [])
        }
        #expect(try await cache.reader.picture("7", .large).picture == picture)
        await cache.close()
    }

    @Test(
        "After an upgrade, pictures of sizes that are not fetched ahead go, since it is not known why they are there"
    )
    func upgraded() async throws {
        let directory = try TemporaryDirectory()
        let old = try Connection(path: directory.file("c.db"), access: .readWriteCreate)
        try Migrator(applicationID: applicationID, migrations: Array(migrations.prefix(12)))
            .migrate(old, now: "then")
        try old.run("INSERT INTO cache (id, epoch, last_index) VALUES (1, 'e', 0)")
        try old.run("INSERT INTO picture_sizes VALUES ('thumbnail')")
        try old.run(
            "INSERT INTO users (number, id, name_key, words) VALUES (1, '1', 'a', 'a'), (2, '2', 'b', 'b')")
        for (number, size) in ["thumbnail", "large"].enumerated() {
            try old.run(
                "INSERT INTO pictures (number, url, bytes, content_type) VALUES (?1, 'u' || ?1, 1, 'a/b')",
                [number.value])
            try old.run("INSERT INTO picture_contents VALUES (?, x'01')", [number.value])
            try old.run(
                "INSERT INTO user_pictures VALUES (?, ?, ?)", [(number + 1).value, size.value, number.value])
        }
        old.close()
        chmod(directory.file("c.db"), 0o600)
        let cache = try await openCache(directory.file("c.db"))
        #expect(try await cache.pictures.bytes() == 2)
        try await cache.pictures.prefetch([.thumbnail])
        #expect(try await cache.pictures.bytes() == 1)
        try await cache.pictures.prefetch([])
        #expect(try await cache.pictures.bytes() == 0)
        await cache.close()
    }
}
