import Model
import TestSupport
import Testing

@testable import Cache

/// The address of a photo in a directory over LDAP, with the entry's version.
private func address(_ entry: String, _ version: Int) -> String {
    "ldaps://h/\(entry)?jpegPhoto?base?(objectClass=*)?x-changed=\(version)"
}

private func person(_ id: String, _ entry: String, _ version: Int) -> User {
    var user = user(id)
    let url = address(entry, version)
    user.picture = User.Picture(large: url, medium: url, thumbnail: url)
    return user
}

private func picture(_ text: String) -> FetchedPicture {
    FetchedPicture(content: Array(text.utf8), contentType: "image/jpeg")
}

extension Cache {
    fileprivate var due: [DuePicture] {
        get async throws { try await pictures.due(DueQuery(before: start + .seconds(9), limit: 9)) }
    }

    fileprivate func cached(_ key: String) async throws -> String? {
        try await reader.picture(key, .medium).picture.map { String(decoding: $0.content, as: UTF8.self) }
    }
}

@Suite("A picture with a new version")
struct PictureVersionTests {
    /// A cache with A and B of version 1.
    private func cache(_ path: String = ":memory:", sizes: Set<PictureSize> = [.thumbnail]) async throws
        -> Cache
    {
        let cache = try await openCache(path)
        try await cache.pictures.prefetch(sizes)
        try await cache.sync(users: [person("1", "a", 1), person("2", "b", 1)])
        for entry in ["a", "b"] {
            let kept = FoundPicture(
                userID: entry == "a" ? "1" : "2", size: .medium, url: address(entry, 1),
                picture: picture(entry.uppercased()))
            try await cache.pictures.keep(kept, nil, 1000)
        }
        return cache
    }

    @Test("An old picture stays until the new one is fetched", arguments: [[], [PictureSize.thumbnail]])
    func stays(sizes: Set<PictureSize>) async throws {
        let cache = try await cache(sizes: sizes)
        try await cache.sync(users: [person("1", "a", 2), person("2", "b", 1)], number: 2)
        #expect(try await cache.cached("1") == "A")
        #expect(try await cache.cached("2") == "B")
        #expect(try await cache.reader.picture("1", .medium).isOutdated)
        #expect(try await !cache.reader.picture("2", .medium).isOutdated)
        #expect(try await cache.due == [DuePicture(url: address("a", 2), bytes: 1)])
        try await cache.sync(users: [person("1", "a", 3), person("2", "b", 1)], number: 3)
        #expect(try await cache.due == [DuePicture(url: address("a", 3), bytes: 1)])
        // Also after a failed fetch.
        try await cache.pictures.settle(address("a", 3), .failed, start + .seconds(99))
        #expect(try await cache.reader.picture("1", .medium).isOutdated)

        try await cache.pictures.settle(address("a", 3), .fetched(picture("AA")), nil)
        #expect(try await cache.cached("1") == "AA")
        #expect(try await !cache.reader.picture("1", .medium).isOutdated)
        #expect(try await cache.due == [])
        #expect(try await cache.pictures.bytes() == 3)
    }

    @Test("An old picture is also read from the file")
    func file() async throws {
        let directory = try TemporaryDirectory()
        let path = directory.file("c.db")
        let cache = try await cache(path)
        try await cache.sync(users: [person("1", "a", 2), person("2", "b", 1)], number: 2)
        await cache.close()
        let offline = try await openOffline(path)
        #expect(try await offline.picture("1", .medium).picture == picture("A"))
        await offline.close()
        #expect(try CachedPictures(path: path).first(of: [address("a", 2)]) == picture("A"))
    }

    @Test("An old picture is removed if upstream no longer has one")
    func absent() async throws {
        let cache = try await cache()
        try await cache.sync(users: [person("1", "a", 2), person("2", "b", 1)], number: 2)
        try await cache.pictures.settle(address("a", 2), .absent, start + .seconds(99))
        #expect(try await cache.cached("1") == nil)
        #expect(try await cache.due == [])
        #expect(try await cache.pictures.bytes() == 1)
        // The entry has changed again and may have a photo.
        try await cache.sync(users: [person("1", "a", 3), person("2", "b", 1)], number: 3)
        #expect(try await cache.due == [DuePicture(url: address("a", 3))])
    }

    @Test("An old picture is removed with its user, or if the user's picture is another entry's")
    func goes() async throws {
        let cache = try await cache()
        try await cache.sync(users: [person("1", "c", 2), person("2", "b", 2)], number: 2)
        #expect(try await cache.cached("1") == nil)
        #expect(try await cache.cached("2") == "B")
        try await cache.sync(users: [person("1", "c", 2)], number: 3)
        #expect(try await cache.pictures.bytes() == 0)
    }
}
