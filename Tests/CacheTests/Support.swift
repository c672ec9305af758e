import FoundationEssentials
import Model
import SQLite
import Synchronization

@testable import Cache

let start = Timestamp(milliseconds: 1_770_000_000_000)

func openCache(
    _ path: String = ":memory:", epoch: String = "epoch-1", maximumFacts: Int = 10_000,
    maximumHistory: Int = 10_000, readLimit: Duration = .seconds(600), now: Timestamp = start,
    hidden: [String] = [],
    configure: @escaping @Sendable (Connection) throws -> Void = { _ in }
) async throws -> Cache {
    try await Cache.live(
        path: path, newEpoch: epoch, now: { now }, random: { $0.lowerBound }
    ) {
        $0.maximumFacts = maximumFacts
        $0.maximumHistory = maximumHistory
        $0.readers = 2
        $0.readLimit = readLimit
        $0.configure = configure
        $0.hidden = hidden
    }
}

func openOffline(_ path: String) async throws -> CacheReader {
    try await CacheReader.offline(path: path, now: { start }, random: { $0.lowerBound })
}

func user(_ id: String, _ first: String = "Ada", _ last: String = "Lovelace", email: String? = nil) -> User {
    User(id: id, name: User.Name(first: first, last: last)) {
        $0.username = "user\(id)"
        $0.email = email
    }
}

func fact(_ id: String, _ text: String = "Cats sleep.") -> Fact {
    Fact(id: id, text: text, length: text.count, firstSeenAt: start)
}

func change(_ resource: Resource, _ phase: Phase, count: Int = 0, syncedAt: Timestamp? = nil) -> Change {
    let state = State(
        epoch: "", index: 0, resource: resource, phase: phase, since: start, cause: .requested, count: count,
        syncedAt: syncedAt, stale: syncedAt == nil)
    return Change(transition: state, resource: SavedResource(state: state, interval: .seconds(60)))
}

extension Cache {
    /// Runs a whole sync of users. Returns the changes of its commit.
    @discardableResult
    func sync(
        users: [User], number: Int = 1, rule: RemovalRule = .atOnce, at syncedAt: Timestamp = start
    ) async throws -> RowChanges {
        try await writer.beginStaging(.users, number)
        _ = try await writer.stageUsers(Page(records: users), 1, number)
        return try await commit(.users, number, rule, at: syncedAt)
    }

    @discardableResult
    func sync(facts: [Fact], number: Int = 1) async throws -> RowChanges {
        try await writer.beginStaging(.facts, number)
        _ = try await writer.stageFacts(facts, on: Page<Fact>(), 1, number)
        return try await commit(.facts, number)
    }

    /// Stages an unchanged page with its cached validators.
    func stageSame(_ resource: Resource, _ page: Int, _ sync: Int) async throws -> Int? {
        let known = try await writer.page(resource, page)?.known ?? KnownPage(key: "")
        return try await writer.stageSame(resource, page, known, sync)
    }

    func commit(
        _ resource: Resource, _ number: Int, _ rule: RemovalRule = .atOnce, at syncedAt: Timestamp = start
    ) async throws -> RowChanges {
        let seen = Mutex(RowChanges())
        _ = try await writer.commit(resource, number, rule) { rows in
            seen.withLock { $0 = rows }
            let phase = rows.after > 0 ? Phase.loaded : .empty
            return change(resource, phase, count: rows.counted, syncedAt: syncedAt)
        }
        await writer.tidy()
        return seen.withLock { $0 }
    }

    func ids(_ query: UserQuery) async throws -> [String] {
        try await reader.users(query).users.map(\.id)
    }

    func allIDs(_ query: UserQuery) async throws -> [String] {
        try await reader.allUsers(query).map(\.id)
    }
}

extension Page<Never> {
    /// The page with these records, as upstream sends it.
    func of<Sent>(_ records: [Sent]) -> Page<Sent> {
        Page<Sent>(
            records: records, next: next, total: total, known: known, leftOut: leftOut, isCut: isCut)
    }
}

extension CacheReader {
    /// The users of all pages, read one page after the other.
    func allUsers(_ query: UserQuery) async throws -> [User] {
        var users: [User] = []
        var query = query
        repeat {
            let page = try await self.users(query)
            users += try page.users
            query.cursor = page.next
        } while query.cursor != nil
        return users
    }
}

extension StoredPage {
    var users: [User] { get throws { try decoded([User].self) } }
    var facts: [Fact] { get throws { try decoded([Fact].self) } }

    private func decoded<T: Decodable>(_ type: T.Type) throws -> T {
        try JSONDecoder().decode(type, from: Data([UInt8(ascii: "[")] + records + [UInt8(ascii: "]")]))
    }
}
