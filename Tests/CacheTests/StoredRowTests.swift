import Cache
import Foundation
import Model
import SQLite
import TestSupport
import Testing

@Suite("Stored rows of users")
struct StoredRowTests {
    // utf8proc composes U+11A7, which is not a letter, and Swift does not: one text in 400,000 would differ.
    private let seed: UInt64 = 1

    private var users: [User] {
        var random = RandomUsers(random: SeededRandom(seed: seed))
        return (0..<Volume.randomValues / 10).map { random.user("\($0)") }
    }

    private func encoded(_ value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }

    @Test(
        "Rows equal those of Foundation's encoder and the first folding, so that none is written again"
    )
    func unchanged() async throws {
        let directory = try TemporaryDirectory()
        let cache = try await openCache(directory.file("c.db"))
        let users = users
        try await cache.sync(users: users)
        let connection = try Connection(path: directory.file("c.db"), access: .readOnly)
        let rows = try connection.rows(
            "SELECT record, name_key FROM users JOIN user_records USING (number) ORDER BY CAST(id AS INTEGER)"
        ) { [try $0.text(0), try $0.text(1)] }
        #expect(rows.count == users.count)
        for (row, user) in zip(rows, users) {
            let expected = [try encoded(user), user.nameKeyAsBefore ?? row[1]]
            // Compares bytes, because canonically equal strings may differ in them.
            try #require(
                row.map { Array($0.utf8) } == expected.map { Array($0.utf8) },
                "seed \(seed), user \(user.id)")
        }
        await cache.close()
    }

    @Test("Every member of a user is stored")
    func complete() async throws {
        var random = RandomUsers(random: SeededRandom(seed: seed))
        let full = (0...).lazy.map { random.user("\($0)") }.first { user in
            Mirror(reflecting: user).children.allSatisfy {
                $0.label == "kind" || Mirror(reflecting: $0.value).displayStyle != .optional
                    || Mirror(reflecting: $0.value).children.count == 1
            }
        }
        var user = try #require(full)
        user.kind = .room
        let cache = try await openCache()
        try await cache.sync(users: [user])
        let rooms = UserQuery { $0.kinds = [.room] }
        #expect(try await cache.reader.users(rooms).records == Array(encoded(user).utf8))
    }

    @Test("A stored fact equals Foundation's encoding byte for byte")
    func facts() async throws {
        var random = RandomUsers(random: SeededRandom(seed: seed))
        let facts = (0..<100).map { fact("\($0)", random.text()) }
        let cache = try await openCache()
        try await cache.sync(facts: facts)
        let stored = try await cache.reader.facts(FactQuery(limit: 1000)).records
        #expect(
            try Set(String(decoding: stored, as: UTF8.self).split(separator: "},{"))
                == Set(facts.map(encoded).joined(separator: ",").split(separator: "},{")))
    }

    @Test("A letter and its neighbours are folded as one by one")
    func folding() throws {
        // Each simple letter, alone and next to characters that compose.
        for value in Array(0..<UInt32(0x3100)) + Array(0xAC00..<0xAE00) {
            guard let scalar = Unicode.Scalar(value) else { continue }
            for beside in ["", "\u{301}", "\u{338}", "\u{3099}", "\u{11A8}", "e", "ß", "\u{93C}"] {
                try check("\(scalar)\(beside)")
                try check("\(beside)\(scalar)")
            }
        }
        var random = RandomUsers(random: SeededRandom(seed: seed))
        for _ in 0..<Volume.randomValues { try check(random.text()) }
    }

    private func check(_ text: String) throws {
        try #require(
            folded(text).utf8.elementsEqual(foldedSlowly(text).utf8),
            "\(Array(text.unicodeScalars)), seed \(seed)")
    }
}

extension User {
    // The first implementations, before they were optimised.

    /// Nil if the name has letters that are sorted by alphabet.
    fileprivate var nameKeyAsBefore: String? {
        let key = "\(foldedSlowly(name.last))\u{1}\(foldedSlowly(name.first))"
        return key.unicodeScalars.contains { 0x400...0x6FF ~= $0.value } ? nil : key
    }
}
