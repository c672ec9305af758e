import Cache
import Foundation
import Migrations
import Model
import SQLite
import TestSupport
import Testing

@Suite("Rows of a cache from before schema 6")
struct UpgradedRowsTests {
    let directory: TemporaryDirectory
    let path: String

    private static let people: [User] = (0..<6).map { number in
        var person = user("\(number)", "F\(number)", "L\(number)")
        person.phone = "030-1234\(number)"
        person.address.street = "Street\(number)"
        person.address.country = number == 2 ? "Germany" : nil
        person.age = number == 0 ? nil : 30 + number
        person.bornAt =
            [
                nil, nil, "1999-02-28T23:59:59.999Z", "1969-12-31T00:00:00.000Z", "1950-01-01T10:00:00.000Z",
                nil,
            ][
                number
            ].flatMap { Timestamp(rfc3339: $0) }
        return person
    }

    /// Makes a cache as a userd with schema 5 left it, with a page that upstream calls unchanged.
    init() throws {
        directory = try TemporaryDirectory()
        path = directory.file("c.db")
        let connection = try Connection(path: path, access: .readWriteCreate)
        try Migrator(applicationID: applicationID, migrations: Array(migrations.prefix(5)))
            .migrate(connection, now: "then")
        try connection.run("INSERT INTO cache (id, epoch, last_index, newest_user) VALUES (1, 'e', 3, 6)")
        for (number, person) in Self.people.enumerated() {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            try connection.run(
                """
                INSERT INTO users (number, id, username, name_key, age, words, record) VALUES (?, ?, ?, ?, ?, ?, ?)
                """,
                [
                    (number + 1).value, person.id.value, person.username.value,
                    "l\(number)\u{1}f\(number)".value, person.age.value,
                    "F\(number) L\(number) user\(number)".value,
                    .text(String(decoding: try encoder.encode(person), as: UTF8.self)),
                ])
        }
        try connection.run("INSERT INTO user_words (user_words) VALUES ('rebuild')")
        try connection.run("INSERT INTO pages VALUES ('users', 1, 'key', '\"v\"', NULL, NULL, 6, 6)")
        try connection.run("INSERT INTO page_users SELECT 1, number FROM users")
        try connection.run("INSERT INTO moves (transition, number, name_key, age) VALUES (3, 1, 'a', 40)")
        try connection.run("INSERT INTO pictures (number, url, bytes) VALUES (1, 'http://a.example/1', 3)")
        try connection.run("INSERT INTO picture_contents (picture, content) VALUES (1, x'010203')")
        try connection.run("INSERT INTO user_pictures (user, size, picture) VALUES (2, 'large', 1)")
        connection.close()
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
    }

    @Test("Old rows are listed, found and ordered by age as before, and now also by birthday")
    func readable() async throws {
        let cache = try await openCache(path)
        #expect(try await cache.reader.users(UserQuery()).users == Self.people)
        #expect(try await cache.ids(UserQuery(search: "l3")) == ["3"])
        #expect(try await cache.ids(UserQuery { $0.country = "germany" }) == ["2"])
        let byAge = try await cache.ids(UserQuery(order: .age))
        #expect(byAge == ["2", "1", "5", "3", "4", "0"])
        await cache.close()
    }

    @Test("The next sync completes the old rows and keeps their position in lists")
    func whole() async throws {
        let cache = try await openCache(path)
        let byAge = try await cache.ids(UserQuery(order: .age))
        #expect(try await cache.ids(UserQuery(search: "030-12343")) == [])
        #expect(try await cache.ids(UserQuery(search: "street3")) == [])
        #expect(try await cache.sync(users: Self.people).changed == 6)
        #expect(try await cache.ids(UserQuery(search: "030-12343")) == ["3"])
        #expect(try await cache.ids(UserQuery(search: "street3")) == ["3"])
        #expect(try await cache.ids(UserQuery(order: .age)) == byAge)
        let connection = try Connection(path: path, access: .readOnly)
        #expect(try connection.firstInt("SELECT count(*) FROM moves") == 0)
        #expect(try await cache.sync(users: Self.people, number: 2).changed == 0)
        await cache.close()
    }

    @Test("Old rows keep their pictures, which are removed with them")
    func pictures() async throws {
        let cache = try await openCache(path)
        let connection = try Connection(path: path, access: .readOnly)
        func counts() throws -> [Int?] {
            try ["user_pictures", "pictures", "picture_contents"].map {
                try connection.firstInt("SELECT count(*) FROM \($0)")
            }
        }
        #expect(try counts() == [1, 1, 1])
        try await cache.sync(users: [Self.people[1]])
        #expect(try counts() == [0, 0, 0])
        await cache.close()
    }

    @Test("No page counts as unchanged before the old rows are complete")
    func pages() async throws {
        let cache = try await openCache(path)
        #expect(try await cache.writer.page(.users, 1) == nil)
        await cache.close()
    }
}
