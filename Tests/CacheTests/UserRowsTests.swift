import Foundation
import Model
import SQLite
import TestSupport
import Testing

@testable import Cache

@Suite("Users in the cache")
struct UserRowsTests {
    @Test("A sync adds, changes and removes users to match upstream")
    func mirrors() async throws {
        let cache = try await openCache()
        #expect(
            try await cache.sync(users: [user("1"), user("2"), user("3")])
                == RowChanges(added: 3, before: 0, after: 3))
        let changes = try await cache.sync(users: [user("1"), user("2", "Grace"), user("4")], number: 2)
        #expect(changes == RowChanges(added: 1, changed: 1, removed: 1, before: 3, after: 3))
        let users = try await cache.reader.users(UserQuery()).users
        #expect(Set(users) == [user("1"), user("2", "Grace"), user("4")])
    }

    @Test("An unchanged sync writes no row")
    func unchanged() async throws {
        let directory = try TemporaryDirectory()
        let cache = try await openCache(directory.file("c.db"))
        try await cache.sync(users: [user("1"), user("2")])
        let connection = try Connection(path: directory.file("c.db"), access: .readWrite)
        try connection.execute(
            """
            CREATE TABLE writes (what TEXT);
            CREATE TRIGGER i AFTER INSERT ON users BEGIN INSERT INTO writes VALUES ('insert'); END;
            CREATE TRIGGER u AFTER UPDATE ON users BEGIN INSERT INTO writes VALUES ('update'); END;
            CREATE TRIGGER d AFTER DELETE ON users BEGIN INSERT INTO writes VALUES ('delete'); END;
            """)
        try await cache.sync(users: [user("2"), user("1")], number: 2)
        #expect(try connection.rows("SELECT what FROM writes") { try $0.text(0) } == [])
        try await cache.sync(users: [user("2"), user("1", "Grace")], number: 3)
        #expect(try connection.rows("SELECT DISTINCT what FROM writes") { try $0.text(0) } == ["update"])
        await cache.close()
    }

    @Test("Only the differences of a changed user are written: record, words or indexed columns")
    func partly() async throws {
        let directory = try TemporaryDirectory()
        let cache = try await openCache(directory.file("c.db"))
        // A picture is only in the record.
        var users = (1...4).map { user("\($0)") }
        try await cache.sync(users: users)
        let connection = try Connection(path: directory.file("c.db"), access: .readWrite)
        try connection.execute(
            """
            CREATE TABLE writes (what TEXT);
            CREATE TRIGGER r AFTER UPDATE ON user_records BEGIN INSERT INTO writes VALUES ('record'); END;
            CREATE TRIGGER w AFTER UPDATE OF words ON users BEGIN INSERT INTO writes VALUES ('words'); END;
            CREATE TRIGGER n AFTER UPDATE OF name_key ON users BEGIN INSERT INTO writes VALUES ('name'); END;
            CREATE TRIGGER u AFTER UPDATE OF username ON users BEGIN INSERT INTO writes VALUES ('username'); END;
            """)
        func writes() throws -> [String] {
            let writes = try connection.rows("SELECT what FROM writes ORDER BY what") { try $0.text(0) }
            try connection.run("DELETE FROM writes")
            return writes
        }
        for index in users.indices { users[index].picture = .init(large: "http://a.example/\(index)") }
        #expect(try await cache.sync(users: users, number: 2).changed == 4)
        #expect(try writes() == ["record", "record", "record", "record"])
        // Equal by the column's collation, but not byte for byte.
        users[0].username = users[0].username?.uppercased()
        #expect(try await cache.sync(users: users, number: 3).changed == 1)
        #expect(try writes() == ["record", "username"])
        users[1].name.last = "Zuse"
        #expect(try await cache.sync(users: users, number: 4).changed == 1)
        #expect(try writes() == ["name", "record", "words"])
        #expect(try await cache.ids(UserQuery(search: "zuse")) == ["2"])
        #expect(try await cache.ids(UserQuery(search: "user1")) == ["1"])
        try connection.run("INSERT INTO user_words (user_words, rank) VALUES ('integrity-check', 1)")
        #expect(try await cache.reader.users(UserQuery()).users.map(\.id).sorted() == ["1", "2", "3", "4"])
        await cache.close()
    }

    @Test("Removed users are counted by their rows, whatever a page says about its records")
    func counted() async throws {
        let directory = try TemporaryDirectory()
        let cache = try await openCache(directory.file("c.db"))
        func stage(_ users: [User], page: Int, sync: Int) async throws {
            _ = try await cache.writer.stageUsers(
                Page(records: users, known: KnownPage(key: "k")), page, sync)
        }
        try await cache.writer.beginStaging(.users, 1)
        try await stage((0..<20).map { user("\($0)") }, page: 1, sync: 1)
        try await stage([user("20")], page: 2, sync: 1)
        #expect(try await cache.commit(.users, 1).added == 21)
        // A check of the file does not find this.
        let other = try Connection(path: directory.file("c.db"), access: .readWrite)
        try other.run("DELETE FROM page_users WHERE page = 1")
        try await cache.writer.beginStaging(.users, 2)
        #expect(try await cache.stageSame(.users, 1, 2) == 0)
        try await stage([user("21")], page: 2, sync: 2)
        let changes = try await cache.commit(.users, 2)
        #expect(changes == RowChanges(added: 1, removed: 21, before: 21, after: 1))
        #expect(try await cache.ids(UserQuery()) == ["21"])
        await cache.close()
    }

    @Test("Ids are distinguished by their bytes: Unicode has two ways to write é")
    func bytes() async throws {
        let cache = try await openCache()
        let users = [user("caf\u{E9}"), user("cafe\u{301}")]
        #expect(try await cache.sync(users: users) == RowChanges(added: 2, after: 2))
        #expect(try await cache.ids(UserQuery()).count == 2)
        #expect(try await cache.sync(users: users, number: 2) == RowChanges(before: 2, after: 2))
    }

    @Test("The first of two records with the same id is kept, and the second is counted")
    func duplicates() async throws {
        let cache = try await openCache()
        try await cache.writer.beginStaging(.users, 1)
        #expect(
            try await cache.writer.stageUsers(
                Page(records: [user("1", "Zoe"), user("2"), user("1", "Eve")]), 1, 1) == 1)
        #expect(try await cache.writer.stageUsers(Page(records: [user("2", "Eve")]), 1, 1) == 1)
        _ = try await cache.commit(.users, 1)
        #expect(try await Set(cache.reader.users(UserQuery()).users.map(\.name.first)) == ["Zoe", "Ada"])
    }

    @Test("New users are stored in the order of their names, on whichever page they came")
    func order() async throws {
        let directory = try TemporaryDirectory()
        let cache = try await openCache(directory.file("c.db"))
        let connection = try Connection(path: directory.file("c.db"), access: .readOnly)
        func ids() throws -> [String] {
            try connection.rows("SELECT id FROM users ORDER BY number") { try $0.text(0) }
        }
        let pages = [[user("1", "D"), user("2", "B"), user("3", "B")], [user("4", "C"), user("5", "A")]]
        try await cache.writer.beginStaging(.users, 1)
        for page in pages {
            #expect(try await cache.writer.stageUsers(Page(records: page), 1, 1) == 0)
        }
        _ = try await cache.commit(.users, 1)
        #expect(try ids() == ["5", "2", "3", "4", "1"])
        // Cached users keep their numbers.
        try await cache.sync(users: pages.flatMap(\.self) + [user("6", "B"), user("7", "A")], number: 2)
        #expect(try ids() == ["5", "2", "3", "4", "1", "7", "6"])
        await cache.close()
    }

    @Test("Staged records are invisible to readers, and end with their sync")
    func staged() async throws {
        let cache = try await openCache()
        try await cache.sync(users: [user("1")])
        try await cache.writer.beginStaging(.users, 2)
        _ = try await cache.writer.stageUsers(Page(records: [user("9")]), 1, 2)
        #expect(try await cache.ids(UserQuery()) == ["1"])
        try await cache.sync(users: [user("2")], number: 3)
        #expect(try await cache.ids(UserQuery()) == ["2"])
    }

    @Test("A sync that lost the staging area to a later one can neither stage nor commit")
    func late() async throws {
        let cache = try await openCache()
        try await cache.writer.beginStaging(.users, 1)
        try await cache.writer.beginStaging(.users, 2)
        await #expect(throws: CancellationError.self) {
            _ = try await cache.writer.stageUsers(Page(records: [user("1")]), 1, 1)
        }
        await #expect(throws: CancellationError.self) { _ = try await cache.commit(.users, 1) }
        #expect(try await cache.commit(.users, 2).after == 0)
    }

    @Test("A commit that the caller refuses changes nothing")
    func refused() async throws {
        let cache = try await openCache()
        try await cache.sync(users: [user("1")])
        try await cache.writer.beginStaging(.users, 2)
        _ = try await cache.writer.stageUsers(Page(records: [user("2")]), 1, 2)
        let failure = Failure(kind: .removalGuard, message: "no", retryable: false)
        await #expect(throws: failure) {
            _ = try await cache.writer.commit(.users, 2, .atOnce) { _ in throw failure }
        }
        #expect(try await cache.ids(UserQuery()) == ["1"])
        #expect(try await cache.ids(UserQuery(search: "ada")) == ["1"])
        #expect(try await cache.reader.history(nil, 10).count == 1)
    }

    @Test("A user is found by id, or by username or address in any case")
    func found() async throws {
        let cache = try await openCache()
        try await cache.sync(users: [user("1", email: "Ada@Example.com"), user("2")])
        for key in ["1", "USER1", "ada@example.com"] {
            let found = try await cache.reader.user(key)
            #expect(String(decoding: found.record, as: UTF8.self).contains(#""id":"1""#), "\(key)")
        }
        await #expect(throws: CacheError.notFound(key: "eve")) { try await cache.reader.user("eve") }
    }

    @Test("An address of several users is an error with their ids; an id wins over a username")
    func ambiguous() async throws {
        let cache = try await openCache()
        var impostor = user("9")
        impostor.username = "2"
        try await cache.sync(users: [user("1", email: "a@b.c"), user("2", email: "A@b.c"), impostor])
        await #expect(throws: CacheError.ambiguous(key: "a@b.c", ids: ["1", "2"])) {
            try await cache.reader.user("a@b.c")
        }
        let found = try await cache.reader.user("2")
        #expect(String(decoding: found.record, as: UTF8.self).contains(#""id":"2""#))
    }

    @Test("The record has all fields of the user")
    func record() async throws {
        let cache = try await openCache()
        let whole = User(id: "u", name: User.Name(title: "Ms", first: "Ада", last: "Лавлейс")) {
            $0.username = "n"
            $0.displayName = "Ада Л."
            $0.gender = "female"
            $0.email = "a@b.c"
            $0.emails = [.init(value: "a@b.c", kind: "work"), .init(value: "b@b.c")]
            $0.phone = "1"
            $0.cell = "2"
            $0.phones = [
                .init(value: "1"), .init(value: "2", kind: "mobile"), .init(value: "3", kind: "fax"),
            ]
            $0.jobTitle = "J"
            $0.department = "D"
            $0.company = "C"
            $0.employeeNumber = "007"
            $0.manager = User.Manager(id: "m", name: "M")
            $0.bornAt = start
            $0.age = 36
            $0.registeredAt = start
            $0.updatedAt = start + .seconds(1)
            $0.nationality = "GB"
            $0.address = User.Address {
                ($0.street, $0.city) = ("1 St/James", "London")
                ($0.state, $0.postcode, $0.country) = ("L", "0278", "UK")
                ($0.latitude, $0.longitude, $0.utcOffset) = (51.5, -0.1, "+0:00")
            }
            $0.picture = User.Picture(large: "http://l", medium: "http://m", thumbnail: "http://t")
        }
        try await cache.sync(users: [whole])
        #expect(try await cache.reader.users(UserQuery()).users == [whole])
    }
}
