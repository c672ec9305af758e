import Cache
import Model
import TestSupport
import Testing

@Suite("Lists that are read during syncs")
struct ListingModelTests {
    @Test(
        "Each page continues in the first order, with all users cached ever since who still match",
        arguments: 1...10)
    func users(seed: UInt64) async throws {
        var random = SeededRandom(seed: seed)
        let cache = try await openCache()
        var users = (0..<60).map { Person.random($0, &random) }
        try await cache.sync(users: users)
        var lists: [ReadList] = []
        for round in 2...40 {
            for _ in 0..<2 where lists.count < 12 {
                lists.append(try await ReadList(.random(&random), cache))
            }
            lists.removeAll(where: \.isFinished)
            for list in lists where Int.random(in: 0..<3, using: &random) > 0 {
                try await list.readPage(cache, users, limit: .random(in: 1...15, using: &random))
            }
            Person.edit(&users, &random)
            try await cache.sync(users: users, number: round)
            for list in lists { list.see(users) }
        }
        #expect(!lists.isEmpty)
        for list in lists {
            while !list.isFinished { try await list.readPage(cache, users, limit: 10) }
        }
    }
}

/// A list as a client reads it, and the users that it must contain.
private final class ReadList {
    private let query: UserQuery
    private var cursor: String?
    /// All users after the cursor in the first order, matching or not, except those removed since.
    private var rest: [String]
    private(set) var isFinished = false

    init(_ query: UserQuery, _ cache: Cache) async throws {
        self.query = query
        rest = try await cache.ids(
            UserQuery(order: query.order, descending: query.descending, limit: 1000))
        let page = try await cache.reader.users(query)
        passed(try page.users.last, page.next)
    }

    private func passed(_ last: User?, _ next: String?) {
        if let place = rest.firstIndex(where: { $0 == last?.id }) { rest.removeFirst(place + 1) }
        cursor = next
        isFinished = next == nil
    }

    func see(_ users: [User]) {
        let ids = Set(users.map(\.id))
        rest.removeAll { !ids.contains($0) }
    }

    func readPage(_ cache: Cache, _ users: [User], limit: Int) async throws {
        let now = Dictionary(uniqueKeysWithValues: users.map { ($0.id, $0) })
        let fitting = rest.filter { id in now[id].map { Person.fits($0, query) } ?? false }
        var next = query.from(cursor)
        next.limit = limit
        let page = try await cache.reader.users(next)
        #expect(try page.users == fitting.prefix(limit).compactMap { now[$0] }, "\(next)")
        #expect((page.next != nil) == (fitting.count > limit))
        passed(try page.users.last, page.next)
    }
}

private enum Person {
    private static let names = ["Ann", "Anna", "Bo", "Bob", "Öst", "Юлія"]

    static func random(_ number: Int, _ random: inout SeededRandom) -> User {
        var user = user("\(number)")
        move(&user, &random)
        return user
    }

    /// Sets values from a small range, so that many users share one.
    private static func move(_ user: inout User, _ random: inout SeededRandom) {
        let number = Int.random(in: 0..<8, using: &random)
        user.name.last = names.randomElement(using: &random) ?? ""
        user.age = number == 0 ? nil : 20 + number
        user.registeredAt = number == 1 ? nil : start + .seconds(.random(in: 0..<9, using: &random))
        user.nationality = number == 2 ? nil : number.isMultiple(of: 2) ? "DK" : "UA"
        user.email = number == 3 ? nil : "\(["E", "e"][number % 2])\(number / 2)@x.org"
    }

    static func edit(_ users: inout [User], _ random: inout SeededRandom) {
        func some() -> [Int] {
            users.indices.filter { _ in Int.random(in: 0..<6, using: &random) == 0 }
        }
        switch Int.random(in: 0..<8, using: &random) {
        case 0: for index in users.indices { move(&users[index], &random) }
        case 1: for index in users.indices { users[index].age = users[index].age.map { $0 + 1 } }
        case 2: for index in some() { users[index].gender = Bool.random(using: &random) ? "male" : "female" }
        case 3: for index in some() { users[index].phone = "\(Int.random(in: 0..<9, using: &random))" }
        default: for index in some() { move(&users[index], &random) }
        }
        // A removed user may come back as a new one.
        for index in some().reversed() { users.remove(at: index) }
        let ids = Set(users.map(\.id))
        for number in 0..<90 where !ids.contains("\(number)") && Int.random(in: 0..<4, using: &random) == 0 {
            users.append(Person.random(number, &random))
        }
        users.shuffle(using: &random)
    }

    private static let searches = ["an": ["Ann", "Anna"], "BO": ["Bo", "Bob"], "ost": ["Öst"]]

    static func fits(_ user: User, _ query: UserQuery) -> Bool {
        (query.search.flatMap { searches[$0] }?.contains(user.name.last) ?? true)
            && (query.nationality ?? user.nationality) == user.nationality
            && (query.gender ?? user.gender) == user.gender
    }
}

extension UserQuery {
    fileprivate static func random(_ random: inout SeededRandom) -> UserQuery {
        UserQuery(
            search: [nil, nil, "an", "BO", "ost"].randomElement(using: &random) ?? nil,
            nationality: [nil, nil, "DK"].randomElement(using: &random) ?? nil,
            gender: [nil, nil, nil, "male"].randomElement(using: &random) ?? nil,
            // That of matches ends when users change: NearTests.
            order: UserOrder.allCases.filter { $0 != .match }.randomElement(using: &random) ?? .name,
            descending: .random(using: &random), limit: .random(in: 1...9, using: &random))
    }
}
