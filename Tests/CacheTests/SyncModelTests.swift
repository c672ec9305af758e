import Model
import SQLite
import TestSupport
import Testing

@testable import Cache

@Suite("Random syncs")
struct SyncModelTests {
    private static let names = ["Ann", "Anna", "Annika", "Bo", "Bob", "Öst", "Ostrava", "Юлія", "O'Neill"]

    @Test("After random syncs, rows, changes and search match a dictionary", arguments: [1, 2, 3, 4])
    func model(seed: UInt64) async throws {
        var random = SeededRandom(seed: seed)
        let directory = try TemporaryDirectory()
        let cache = try await openCache(directory.file("c.db"))
        let checker = try Connection(path: directory.file("c.db"), access: .readWrite)
        var model: [String: User] = [:]
        for round in 1...25 {
            let sent = upstream(after: model, &random)
            var next: [String: User] = [:]
            for user in sent where next[user.id] == nil { next[user.id] = user }
            let expected = RowChanges(
                added: next.keys.count { model[$0] == nil },
                changed: next.count { id, user in model[id].map { $0 != user } ?? false },
                removed: model.keys.count { next[$0] == nil }, before: model.count, after: next.count)

            #expect(try await cache.sync(users: sent, number: round) == expected, "round \(round)")
            model = next

            let users = try await cache.reader.allUsers(UserQuery(limit: .random(in: 1...40, using: &random)))
            #expect(users.count == model.count)
            #expect(Dictionary(users.map { ($0.id, $0) }) { first, _ in first } == model)
            for (word, prefixes) in [
                ("an", ["Ann"]), ("anni", ["Annika"]), ("ost", ["Öst", "Ost"]), ("ЮЛ", ["Юлія"]),
                ("o'ne", ["O'Neill"]), ("b", ["Bo"]),
            ] {
                let found = try await cache.reader.allUsers(UserQuery(search: word, limit: 7)).map(\.id)
                let expected = model.values.filter { user in
                    prefixes.contains { user.name.first.hasPrefix($0) || user.name.last.hasPrefix($0) }
                }
                #expect(found.sorted() == expected.map(\.id).sorted(), "“\(word)”, round \(round)")
            }
            try checker.run("INSERT INTO user_words (user_words, rank) VALUES ('integrity-check', 1)")
        }
        #expect(try checker.first("PRAGMA integrity_check") { try $0.text(0) } == "ok")
        await cache.close()
    }

    /// Upstream's next users: a few or many are new, some come twice, and sometimes there are none.
    private func upstream(after users: [String: User], _ random: inout SeededRandom) -> [User] {
        var next = users.values.sorted { $0.id < $1.id }
        switch Int.random(in: 0..<8, using: &random) {
        case 0: next = []
        case 1: break
        case 2: next = (0..<30).map { _ in person(&random) }
        default:
            for _ in 0..<Int.random(in: 1...3, using: &random) { next.append(person(&random)) }
            if next.count > 6 { next.remove(at: .random(in: next.indices, using: &random)) }
            if let index = next.indices.randomElement(using: &random) {
                next[index].name.first = Self.names.randomElement(using: &random) ?? ""
                next[index].age = Int.random(in: 20...90, using: &random)
            }
        }
        next.shuffle(using: &random)
        return next + next.prefix(2)
    }

    private func person(_ random: inout SeededRandom) -> User {
        let first = Self.names.randomElement(using: &random) ?? ""
        let last = Self.names.randomElement(using: &random) ?? ""
        return user("\(Int.random(in: 0..<60, using: &random))", first, last)
    }
}
