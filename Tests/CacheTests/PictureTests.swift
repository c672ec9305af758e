import Model
import SQLite
import TestSupport
import Testing

@testable import Cache

private let far = start + .seconds(1000)

private func person(_ id: String, _ picture: String?, last: String = "Lovelace") -> User {
    var user = user(id, "Ada", last)
    user.picture = picture.map {
        User.Picture(large: "l/\($0)", medium: "m/\($0)", thumbnail: "t/\($0)")
    }
    return user
}

private func picture(_ text: String, etag: String? = nil) -> FetchedPicture {
    FetchedPicture(
        content: Array(text.utf8), contentType: "image/png", validators: etag.map { Validators(etag: $0) })
}

extension Cache {
    fileprivate var dueURLs: [String] {
        get async throws { try await pictures.due(DueQuery(before: far, limit: 100)).map(\.url) }
    }

    fileprivate func cached(_ key: String, _ size: PictureSize? = .thumbnail) async throws -> String? {
        try await reader.picture(key, size).picture.map { String(decoding: $0.content, as: UTF8.self) }
    }
}

@Suite("Pictures in the cache")
struct PictureTests {
    private func cache(
        _ users: [User] = [person("1", "a"), person("2", "b")], sizes: Set<PictureSize> = [.thumbnail]
    ) async throws -> Cache {
        let cache = try await openCache()
        try await cache.pictures.prefetch(sizes)
        try await cache.sync(users: users)
        return cache
    }

    @Test("Pictures of new users are due in the sizes that are fetched ahead")
    func due() async throws {
        #expect(
            try await cache().pictures.due(DueQuery(before: far, limit: 100)) == [
                DuePicture(url: "t/a"), DuePicture(url: "t/b"),
            ])
        let all = try await cache(sizes: Set(PictureSize.allCases))
        #expect(try await Set(all.dueURLs) == ["l/a", "m/a", "t/a", "l/b", "m/b", "t/b"])
        #expect(try await cache(sizes: []).dueURLs == [])
        #expect(try await cache([user("1")]).dueURLs == [])
    }

    @Test("A shared picture is due once, and each of its users gets it")
    func shared() async throws {
        let cache = try await cache([person("1", "a"), person("2", "a")])
        #expect(try await cache.dueURLs == ["t/a"])
        try await cache.pictures.settle("t/a", .fetched(picture("A")), nil)
        #expect(try await cache.cached("1") == "A")
        #expect(try await cache.cached("2") == "A")
        #expect(try await cache.pictures.bytes() == 1)
    }

    @Test("A fetched picture is due again at the given time with its validators, or never")
    func settled() async throws {
        let cache = try await cache([person("1", "a"), person("2", "b"), person("3", "c")])
        try await cache.pictures.settle("t/a", .fetched(picture("A", etag: "\"1\"")), start + .seconds(2))
        try await cache.pictures.settle("t/b", .fetched(picture("B")), nil)
        try await cache.pictures.settle("t/c", .failed, start + .seconds(1))
        let known = Validators(etag: "\"1\"")
        #expect(
            try await cache.pictures.due(DueQuery(before: far, limit: 100)) == [
                DuePicture(url: "t/c"), DuePicture(url: "t/a", validators: known, bytes: 1),
            ])
        #expect(
            try await cache.pictures.due(DueQuery(before: start + .seconds(2), limit: 100)) == [
                DuePicture(url: "t/c")
            ])
        #expect(try await cache.pictures.due(DueQuery(before: far, limit: 1)) == [DuePicture(url: "t/c")])
        #expect(try await cache.reader.picture("1", .thumbnail).picture == picture("A", etag: "\"1\""))
        #expect(try await cache.cached("3") == nil)
    }

    @Test("A picture that is unchanged or could not be fetched again stays cached")
    func stays() async throws {
        let cache = try await cache()
        try await cache.pictures.settle("t/a", .fetched(picture("A", etag: "\"1\"")), start)
        for outcome in [PictureOutcome.unchanged, .failed] {
            try await cache.pictures.settle("t/a", outcome, start + .seconds(7))
            #expect(try await cache.reader.picture("1", .thumbnail).picture == picture("A", etag: "\"1\""))
        }
        #expect(
            try await cache.pictures.due(DueQuery(before: start + .seconds(7), limit: 100)) == [
                DuePicture(url: "t/b")
            ])
        try await cache.pictures.settle("t/a", .fetched(picture("A2")), nil)
        #expect(try await cache.cached("1") == "A2")
        #expect(try await cache.pictures.bytes() == 2)
    }

    @Test("A sync that changes no addresses of pictures makes none due")
    func unchangedUsers() async throws {
        let cache = try await cache()
        for url in try await cache.dueURLs {
            try await cache.pictures.settle(url, .fetched(picture("x")), nil)
        }
        try await cache.sync(users: [person("1", "a"), person("2", "b", last: "Hopper")], number: 2)
        #expect(try await cache.dueURLs == [])
        #expect(try await cache.cached("2") == "x")
    }

    @Test(
        "Pictures are removed with their last user, in the same commit",
        arguments: [3, 30])
    func removed(others: Int) async throws {
        // With few other users, most rows change, and the indexes are rebuilt.
        let rest = (0..<others).map { person("r\($0)", nil) }
        let cache = try await cache([person("1", "a"), person("2", "a"), person("3", "b")] + rest)
        try await cache.pictures.settle("t/a", .fetched(picture("A")), nil)
        try await cache.pictures.settle("t/b", .fetched(picture("BB")), nil)
        #expect(try await cache.pictures.bytes() == 3)
        try await cache.sync(users: [person("2", "a")] + rest, number: 2)
        #expect(try await cache.pictures.bytes() == 1)
        #expect(try await cache.cached("2") == "A")
        try await cache.sync(users: rest, number: 3)
        #expect(try await cache.pictures.bytes() == 0)
    }

    @Test("A user never gets the picture of another user, or of an earlier address")
    func notAnothers() async throws {
        let cache = try await cache([person("1", "a"), person("2", "b")])
        for url in ["t/a", "t/b"] { try await cache.pictures.settle(url, .fetched(picture(url)), nil) }
        // 9 replaces 2; 1 has another picture now.
        try await cache.sync(users: [person("1", "c"), person("9", "d")], number: 2)
        #expect(try await cache.cached("1") == nil)
        #expect(try await cache.cached("9") == nil)
        #expect(try await Set(cache.dueURLs) == ["t/c", "t/d"])
        #expect(try await cache.pictures.bytes() == 0)
        // A fetch that was still running comes too late.
        try await cache.pictures.settle("t/a", .fetched(picture("A")), nil)
        #expect(try await cache.pictures.bytes() == 0)
        try await cache.sync(users: [user("1"), person("9", "c")], number: 3)
        #expect(try await cache.reader.picture("1", .thumbnail).url == nil)
        #expect(try await cache.dueURLs == ["t/c"])
    }

    @Test(
        "A size newly fetched ahead is due for all users; one no longer fetched ahead goes"
    )
    func sizes() async throws {
        let cache = try await cache()
        try await cache.pictures.settle("t/a", .fetched(picture("A")), nil)
        try await cache.pictures.prefetch([.thumbnail, .large])
        #expect(try await Set(cache.dueURLs) == ["t/b", "l/a", "l/b"])
        try await cache.pictures.prefetch([])
        #expect(try await cache.dueURLs == [])
        #expect(try await cache.cached("1") == nil)
        #expect(try await cache.pictures.bytes() == 0)
        try await cache.pictures.prefetch([.thumbnail])
        #expect(try await cache.dueURLs == ["t/a", "t/b"])
    }

    @Test("A requested picture is kept while its user has it and there is space")
    func kept() async throws {
        let cache = try await cache(sizes: [])
        func keep(_ id: String, _ url: String, _ text: String, most: Int = 10) async throws {
            let kept = FoundPicture(userID: id, size: .large, url: url, picture: picture(text, etag: "\"1\""))
            try await cache.pictures.keep(kept, start, most)
        }
        try await keep("1", "l/a", "12345678")
        #expect(try await cache.cached("1", .large) == "12345678")
        #expect(try await cache.dueURLs == ["l/a"])
        try await keep("2", "l/b", "123")
        try await keep("2", "l/a", "1")
        try await keep("9", "l/b", "1")
        #expect(try await cache.pictures.bytes() == 8)
        try await keep("2", "l/b", "12")
        #expect(try await cache.pictures.bytes() == 10)
        try await cache.sync(users: [person("2", "c")], number: 2)
        #expect(try await cache.pictures.bytes() == 0)
    }

    @Test("Without a size, the largest cached picture is found, or else the medium one is to be fetched")
    func anySize() async throws {
        var odd = user("3")
        odd.picture = User.Picture(thumbnail: "t/c")
        let cache = try await cache([person("1", "a"), odd, user("4")], sizes: Set(PictureSize.allCases))
        #expect(
            try await cache.reader.picture("user1", nil)
                == FoundPicture(userID: "1", size: .medium, url: "m/a"))
        #expect(
            try await cache.reader.picture("3", nil)
                == FoundPicture(userID: "3", size: .thumbnail, url: "t/c"))
        #expect(
            try await cache.reader.picture("4", nil) == FoundPicture(userID: "4", size: .medium, url: nil))
        #expect(
            try await cache.reader.picture("3", .large) == FoundPicture(userID: "3", size: .large, url: nil))
        try await cache.pictures.settle("t/a", .fetched(picture("T")), nil)
        #expect(try await cache.cached("1", nil) == "T")
        try await cache.pictures.settle("l/a", .fetched(picture("L")), nil)
        #expect(try await cache.cached("1", nil) == "L")
        #expect(try await cache.cached("1", .medium) == nil)
        await #expect(throws: CacheError.notFound(key: "9")) { try await cache.reader.picture("9", nil) }
    }

    @Test("Cached pictures are read without a daemon and after a restart")
    func file() async throws {
        let directory = try TemporaryDirectory()
        let path = directory.file("c.db")
        let cache = try await openCache(path)
        try await cache.pictures.prefetch([.thumbnail])
        try await cache.sync(users: [person("1", "a"), person("2", "b")])
        try await cache.pictures.settle("t/a", .fetched(picture("A")), nil)
        await cache.close()
        let offline = try await openOffline(path)
        #expect(try await offline.picture("1", .thumbnail).picture == picture("A"))
        await offline.close()
        let again = try await openCache(path)
        try await again.pictures.prefetch([.thumbnail])
        #expect(try await again.dueURLs == ["t/b"])
        await again.close()
    }

    @Test(
        "If no picture is due, finding that out costs the same for many users, and reads no picture"
    )
    func cheap() async throws {
        let directory = try TemporaryDirectory()
        let path = directory.file("c.db")
        let cache = try await openCache(path)
        try await cache.pictures.prefetch([.thumbnail])
        try await cache.sync(users: (0..<1000).map { person("\($0)", "\($0)") })
        for url in try await cache.pictures.due(DueQuery(before: far, limit: 2000)).map(\.url) {
            try await cache.pictures.settle(url, .fetched(picture("x", etag: "\"1\"")), far)
        }
        await cache.close()
        let connection = try Connection(path: path, access: .readOnly)
        let due = PictureRows.due(isCachedOnly: false, leavesOut: false)
        let rows = try connection.rows(due, [far.milliseconds.value, 64.value]) { try $0.text(0) }
        #expect(rows.isEmpty)
        let steps = try connection.first("SELECT nstep FROM sqlite_stmt WHERE sql = ?", [due.value]) {
            try $0.int(0)
        }
        #expect(try #require(steps) < 50)
    }

    @Test(
        "Due pictures, their total size and outdated pictures are read from indexes",
        arguments: [
            (
                PictureRows.due(isCachedOnly: false, leavesOut: false),
                ["SEARCH pictures USING INDEX pictures_by_due (due_ms<?)"]
            ),
            (
                PictureRows.due(isCachedOnly: true, leavesOut: false),
                ["SEARCH pictures USING INDEX pictures_cached (due_ms<?)"]
            ),
            (PictureRows.sumOfBytes, ["SCAN pictures USING COVERING INDEX pictures_cached"]),
            (
                PictureRows.moveVersions,
                [
                    "SCAN t", "SEARCH p USING PRIMARY KEY (user=?)",
                    "SEARCH user_records USING INTEGER PRIMARY KEY (rowid=?)", "SCAN new",
                    "SEARCH pictures USING INTEGER PRIMARY KEY (rowid=?)",
                ]
            ),
            (
                PictureRows.removeOutdated,
                [
                    "SCAN t", "SEARCH p USING PRIMARY KEY (user=?)",
                    "SEARCH user_records USING INTEGER PRIMARY KEY (rowid=?)",
                ]
            ),
        ])
    func plans(sql: String, plan: [String]) async throws {
        let touched = """
            CREATE TEMP TABLE touched_users (number INTEGER PRIMARY KEY) STRICT
            """
        let directory = try TemporaryDirectory()
        let path = directory.file("c.db")
        try await openCache(path).close()
        let connection = try Connection(path: path, access: .readOnly)
        try connection.execute(touched)
        let bindings = Array(repeating: Value.null, count: sql.count { $0 == "?" })
        let steps = try connection.rows("EXPLAIN QUERY PLAN " + sql, bindings) { try $0.text(3) }
        #expect(plan.allSatisfy(steps.contains), "\(steps)")
        #expect(steps.allSatisfy { !$0.hasPrefix("SCAN") || plan.contains($0) }, "\(steps)")
    }

    @Test("Due pictures can be limited to cached ones, and leave out hosts")
    func some() async throws {
        let cache = try await cache(
            [person("1", "a"), person("2", "b")], sizes: [.thumbnail, .large])
        try await cache.pictures.settle("t/a", .fetched(picture("AA")), start)
        try await cache.pictures.settle("l/b", .fetched(picture("B")), start)
        var query = DueQuery(before: far, limit: 100)
        query.isCachedOnly = true
        #expect(
            try await Set(cache.pictures.due(query)) == [
                DuePicture(url: "t/a", bytes: 2), DuePicture(url: "l/b", bytes: 1),
            ])
        query.leftOut = ["t", "x", "l/"]
        #expect(try await cache.pictures.due(query).map(\.url) == ["l/b"])
        query.isCachedOnly = false
        #expect(try await Set(cache.pictures.due(query).map(\.url)) == ["l/a", "l/b"])
        query.leftOut = ["t", "l"]
        #expect(try await cache.pictures.due(query) == [])
    }
}
