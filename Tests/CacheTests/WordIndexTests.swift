import Cache
import Foundation
import Migrations
import Model
import SQLite
import TestSupport
import Testing

@Suite("The index of words")
struct WordIndexTests {
    let directory: TemporaryDirectory
    let path: String

    init() throws {
        directory = try TemporaryDirectory()
        path = directory.file("c.db")
    }

    private func hashSize(_ connection: Connection) throws -> Int? {
        try connection.firstInt("SELECT v FROM user_words_config WHERE k = 'hashsize'")
    }

    @Test("Its option that SQLite does not document is in no migration")
    func migrations() throws {
        let connection = try Connection(path: path, access: .readWriteCreate)
        try Migrator(applicationID: applicationID, migrations: Migrations.migrations)
            .migrate(connection, now: "then")
        #expect(try hashSize(connection) == nil)
    }

    @Test("Caches with and without that option are opened, and have it then", arguments: [true, false])
    func opened(hasOption: Bool) async throws {
        let connection = try Connection(path: path, access: .readWriteCreate)
        try Migrator(applicationID: applicationID, migrations: Array(Migrations.migrations.prefix(8)))
            .migrate(connection, now: "then")
        try connection.execute(
            hasOption
                ? "INSERT INTO user_words (user_words, rank) VALUES ('hashsize', 16777216)"
                : "INSERT INTO user_words (user_words, rank) VALUES ('hashsize', 1048576)")
        connection.close()
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
        for number in 1...2 {
            let cache = try await openCache(path)
            try await cache.sync(users: [user("1"), user("2", "Grace")], number: number)
            #expect(try await cache.ids(UserQuery(search: "grace")) == ["2"])
            #expect(try hashSize(Connection(path: path, access: .readOnly)) == 16_777_216)
            await cache.close()
        }
    }
}
