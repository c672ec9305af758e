import Model
import StrictJSON
import Testing

@testable import Cache

@Suite("Who belongs to whom")
struct OrganisationTests {
    private typealias Named = (id: String, manager: User.Manager?)

    private func cache(_ people: [User]) async throws -> Cache {
        let cache = try await openCache()
        try await cache.sync(users: people)
        return cache
    }

    private func person(_ id: String, _ manager: User.Manager?, _ name: String? = nil) -> User {
        let words = (name ?? "N \(id)").split(separator: " ", maxSplits: 1).map(String.init)
        return User(id: id, name: .init(first: words[0], last: words[1])) {
            $0.username = "user-\(id)"
            $0.email = "\(id)@example.org"
            $0.manager = manager
        }
    }

    /// Of each person the manager's id.
    private func cache(_ managers: KeyValuePairs<String, String?>) async throws -> Cache {
        try await cache(managers.map { person($0, $1.map { User.Manager(id: $0) }) })
    }

    private func id(_ record: [UInt8]) -> String { JSONValue(trusting: record)["id"]?.string ?? "" }

    private func chain(_ key: String, _ cache: Cache) async throws -> (ids: [String], end: ManagerChainEnd) {
        let found = try await cache.reader.managers(of: key)
        return (found.managers.map(id), found.end)
    }

    /// Such as `a(2) .b(1) ..c(0)`: a dot for each level, and the reports.
    private func tree(
        _ key: String, _ cache: Cache, depth: Int? = nil, limit: Int? = nil
    ) async throws -> (text: String, total: Int) {
        let found = try await cache.reader.tree(of: key, depth: depth, limit: limit)
        let text = found.positions.map {
            String(repeating: ".", count: $0.depth) + id($0.record) + "(\($0.reports))"
        }
        return (text.joined(separator: " "), found.total)
    }

    @Test("Managers go up to the head of all, and those below come after each")
    func upAndDown() async throws {
        let cache = try await cache(["a": nil, "b": "a", "c": "b", "d": "a", "e": "c"])
        let chain = try await chain("e", cache)
        #expect(chain.ids == ["c", "b", "a"] && chain.end == .top)
        #expect(try await tree("a", cache) == ("a(2) .b(1) ..c(1) ...e(0) .d(0)", 5))
        #expect(try await tree("a", cache, depth: 1) == ("a(2) .b(1) .d(0)", 3))
        #expect(try await tree("user-c", cache) == ("c(1) .e(0)", 2))
        #expect(try await tree("d", cache) == ("d(0)", 1))
        // The first levels come first, then whole teams, and all are counted.
        let teams = try await self.cache([
            "a": nil, "y": "a", "z": "a", "1": "z", "2": "y", "3": "z", "4": "y",
        ])
        #expect(try await tree("a", teams, limit: 5) == ("a(2) .y(2) ..2(0) ..4(0) .z(2)", 7))
        #expect(try await tree("a", cache, limit: 3) == ("a(2) .b(1) .d(0)", 5))
        await #expect(throws: CacheError.notFound(key: "x")) { try await self.tree("x", cache) }
        for (depth, limit) in [(0, 1), (1, 0), (-1, nil)] as [(Int, Int?)] {
            await #expect(throws: CacheError.self) {
                try await self.tree("a", cache, depth: depth, limit: limit)
            }
        }
    }

    @Test("Upstream may name nobody's manager")
    func none() async throws {
        let without = try await cache(["a": nil])
        #expect(try await !without.reader.managers(of: "a").isNamed)
        #expect(try await !without.reader.tree(of: "a", depth: nil, limit: nil).isNamed)
        #expect(try await cache(["a": nil, "b": "a"]).reader.managers(of: "a").isNamed)
    }

    @Test("Circles, and heads that are their own managers, are drawn once, and none is for ever")
    func circles() async throws {
        let circle = try await cache(["a": "c", "b": "a", "c": "b", "d": "c"])
        let chain = try await chain("d", circle)
        #expect(chain.ids == ["c", "b", "a"] && chain.end == .circle)
        #expect(try await tree("a", circle) == ("a(1) .b(1) ..c(2) ...d(0)", 4))
        let head = try await cache(["a": "a", "b": "a"])
        let ended = try await self.chain("b", head)
        #expect(ended.ids == ["a"] && ended.end == .top)
        #expect(try await tree("a", head) == ("a(1) .b(0)", 2))
    }

    @Test("A manager who is not among the users ends the chain; there may be several heads")
    func absent() async throws {
        let cache = try await cache(["a": nil, "b": "gone", "c": "b", "d": nil, "e": "d"])
        let chain = try await chain("c", cache)
        #expect(chain.ids == ["b"] && chain.end == .absent)
        #expect(try await tree("b", cache) == ("b(1) .c(0)", 2))
        #expect(try await tree("d", cache) == ("d(1) .e(0)", 2))
    }

    @Test(
        "A manager is found by an id, a username, an address, in any case, and by a name if none has an id",
        arguments: [
            .init(id: "a"), .init(id: "A"), .init(id: "USER-A"), .init(id: "a@EXAMPLE.org"),
            .init(id: "cn=Ada Lovelace,dc=example,dc=org"), .init(name: "Ada Lovelace"),
            .init(name: "ada LOVELACE"), .init(name: "Lovelace, Ada"), .init(name: "Lovelace Ada"),
        ] as [User.Manager])
    func named(manager: User.Manager) async throws {
        let cache = try await cache([person("a", nil, "Ada Lovelace"), person("b", manager)])
        let chain = try await chain("b", cache)
        #expect(chain.ids == ["a"] && chain.end == .top)
        #expect(try await tree("a", cache) == ("a(1) .b(0)", 2))
    }

    @Test(
        "Where others have ids, a name alone is somebody who left, not a namesake; of two namesakes, neither is meant"
    )
    func namesakes() async throws {
        let byID = try await cache([
            person("a", nil, "Ada Lovelace"), person("b", .init(name: "Ada Lovelace")),
            person("c", .init(id: "b")),
        ])
        #expect(try await chain("b", byID) == ([], .absent))
        #expect(try await tree("a", byID) == ("a(0)", 1))
        let twins = try await cache([
            person("a", nil, "Ada Lovelace"), person("b", nil, "Ada Lovelace"),
            person("c", .init(name: "Ada Lovelace")),
        ])
        #expect(try await chain("c", twins) == ([], .absent))
        #expect(try await tree("a", twins) == ("a(0)", 1))
    }

    @Test("Ids that differ in case alone are two people, each with their own")
    func ids() async throws {
        let cache = try await cache(["ab": nil, "AB": "ab", "c": "ab", "d": "AB", "e": "AB"])
        #expect(try await chain("d", cache) == (["AB", "ab"], .top))
        #expect(try await tree("ab", cache).text.replacing(/\(\d\)/, with: "") == "ab .AB ..d ..e .c")
        #expect(try await tree("AB", cache).text.replacing(/\(\d\)/, with: "") == "AB .d .e")
    }

    @Test("5,000 reports and forty levels have limits that are told")
    func large() async throws {
        let reports = (1...5_000).map { person("r\($0)", .init(id: "a"), "R \(10_000 + $0)") }
        let levels = (1...120).map { person("l\($0)", .init(id: $0 == 1 ? "a" : "l\($0 - 1)"), "L \($0)") }
        let cache = try await cache([person("a", nil)] + reports + levels)
        let usual = try await cache.reader.tree(of: "a", depth: nil, limit: nil)
        #expect(usual.positions.count == 200 && usual.total == 5_002 && usual.positions[0].reports == 5_001)
        let most = try await cache.reader.tree(of: "a", depth: nil, limit: 1_000_000)
        #expect(most.positions.count == 5_000 && most.total == 5_002)
        let deep = try await cache.reader.tree(of: "l1", depth: nil, limit: nil)
        #expect(deep.positions.map(\.depth) == Array(0...119) && deep.total == 120)
        let chain = try await chain("l120", cache)
        #expect(chain.ids.count == 100 && chain.end == .limit && chain.ids.first == "l119")
        #expect(try await self.chain("l100", cache) == ((1...99).reversed().map { "l\($0)" } + ["a"], .top))
    }
}
