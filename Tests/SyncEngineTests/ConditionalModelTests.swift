import Model
import Synchronization
import TestSupport
import Testing
import Upstream

@testable import Cache
@testable import Sync

@Suite("Conditional syncs")
struct ConditionalModelTests {
    @Test(
        "Conditional syncs leave the same rows as full syncs, whatever upstream does",
        arguments: Array(1...16) as [UInt64])
    func model(seed: UInt64) async throws {
        var random = SeededRandom(seed: seed)
        // Only some seeds use files, which are slower but can be reopened.
        let directory = seed % 8 == 0 ? try TemporaryDirectory() : nil
        var world = World()
        var unchanged = 0
        var pair = try await Pair(directory, maximumFacts: 8 + 2 * Int(seed))
        for round in 1...50 {
            world.goOn(&random)
            let ending = Ending(&random)
            for resource in Resource.allCases {
                let asked = try await pair.sync(resource, round, world, ending)
                unchanged += asked
                let (conditional, full) = try await pair.records(resource)
                try #require(conditional == full, "seed \(seed), round \(round), \(resource)")
            }
            if Int.random(in: 0..<3, using: &random) == 0 {
                let fact = fact(Int.random(in: 0..<60, using: &random))
                for cache in pair.caches { _ = try await cache.writer.addFact(fact) }
            }
            if directory != nil, Int.random(in: 0..<8, using: &random) == 0 {
                await pair.close()
                pair = try await Pair(
                    directory, maximumFacts: Int.random(in: 10...40, using: &random))
            }
        }
        await pair.close()
        #expect(unchanged > 5)
    }
}

/// The outcome of a sync.
private enum Ending {
    case committed, refused
    case failed(page: Int)

    init(_ random: inout SeededRandom) {
        switch Int.random(in: 0..<8, using: &random) {
        case 0: self = .refused
        case 1: self = .failed(page: Int.random(in: 1...4, using: &random))
        default: self = .committed
        }
    }
}

/// A list that changes between and during syncs, repeats records, and has validators only on some pages.
private struct World {
    struct Entry: Hashable {
        var id: Int
        var version: Int
    }

    /// The list as each page finds it, from the first on.
    private var snapshots: [[Entry]] = [[]]
    private var pageSize = 4
    private var pages = 6
    private var withoutValidators: Set<Int> = []

    mutating func goOn(_ random: inout SeededRandom) {
        var list = snapshots.last ?? []
        if Bool.random(using: &random) { edit(&list, &random) }
        if Int.random(in: 0..<20, using: &random) == 0 { pageSize = Int.random(in: 1...6, using: &random) }
        if Int.random(in: 0..<20, using: &random) == 0 { pages = Int.random(in: 1...12, using: &random) }
        withoutValidators = Set((1...12).filter { _ in Int.random(in: 0..<8, using: &random) == 0 })
        snapshots = []
        for _ in 0..<12 {
            if Int.random(in: 0..<40, using: &random) == 0 { edit(&list, &random) }
            snapshots.append(list)
        }
    }

    private func edit(_ list: inout [Entry], _ random: inout SeededRandom) {
        let place = Int.random(in: 0...list.count, using: &random)
        let entry = Entry(
            id: Int.random(in: 0..<40, using: &random), version: Int.random(in: 0..<3, using: &random))
        switch Int.random(in: 0..<8, using: &random) {
        case 0: list.insert(entry, at: place)
        case 1, 2: list.append(entry)
        case 3: if place < list.count { list.remove(at: place) }
        case 4, 5: if place < list.count { list[place].version = entry.version }
        // A record that comes again on a later page.
        case 6: if place < list.count { list.append(list[place]) }
        default: list += (0..<5).map { Entry(id: ($0 * 7 + entry.id) % 40, version: entry.version) }
        }
        if list.count > 40 { list.removeFirst(20) }
    }

    /// - Parameter isAsked: whether this upstream understands conditions.
    func fetch<Record>(
        isAsked: Bool, failing page: Int?, _ record: @escaping @Sendable (Entry) -> Record
    ) -> FetchPage<Record> {
        { request, known in
            let number = request.number
            if number == page { throw UpstreamError(.offline, "the model fails") }
            let list = snapshots[number - 1]
            let entries = list.dropFirst((number - 1) * pageSize).prefix(pageSize)
            let canRetryPages = number < min(pages, 12) && number * pageSize < list.count
            let next = canRetryPages ? PageRequest(number: number + 1, token: "\(pageSize)") : nil
            let current = KnownPage(
                key: "\(number) of \(pages), \(pageSize) each",
                validators: Validators(etag: "\(entries.map { [$0.id, $0.version] }) \(canRetryPages)")
            )
            if isAsked, known == current { return .unchanged(current) }
            let isKnown = isAsked && !withoutValidators.contains(number)
            return Page(records: entries.map(record), next: next, known: isKnown ? current : nil)
        }
    }
}

/// A cache with conditional syncs, and one with full syncs.
private struct Pair {
    let caches: [Cache]

    init(_ directory: TemporaryDirectory?, maximumFacts: Int) async throws {
        var caches: [Cache] = []
        for name in ["conditional", "full"] {
            caches.append(
                try await Cache.live(
                    path: directory?.file("\(name).db") ?? ":memory:", newEpoch: "e", now: { began },
                    random: { $0.lowerBound }
                ) {
                    $0.maximumFacts = maximumFacts
                    $0.readers = 1
                })
        }
        self.caches = caches
        self.maximumFacts = maximumFacts
    }

    private let maximumFacts: Int

    func close() async { for cache in caches { await cache.close() } }

    /// - Returns: number of unchanged pages.
    func sync(_ resource: Resource, _ number: Int, _ world: World, _ ending: Ending) async throws -> Int {
        var outcomes: [RowChanges?] = []
        var unchanged = 0
        for (cache, isAsked) in zip(caches, [true, false]) {
            try await cache.writer.beginStaging(resource, number)
            do {
                let plan = plan(resource, cache, world, isAsked: isAsked, ending)
                unchanged += try await plan.stage(number, SyncStart(readAt: began, now: began), nil) { _ in }
                    .unchanged
                outcomes.append(try await cache.commit(resource, number, isRefused: ending.isRefusal))
            } catch let error as UpstreamError where error.failure.kind == .offline {
                outcomes.append(nil)
            }
        }
        #expect(outcomes[0] == outcomes[1])
        return unchanged
    }

    func records(_ resource: Resource) async throws -> ([UInt8], [UInt8]) {
        func records(_ cache: Cache) async throws -> [UInt8] {
            switch resource {
            case .users: try await cache.reader.users(UserQuery(limit: 1000)).records
            case .facts: try await cache.reader.facts(FactQuery(limit: 1000)).records
            }
        }
        return (try await records(caches[0]), try await records(caches[1]))
    }

    private func plan(
        _ resource: Resource, _ cache: Cache, _ world: World, isAsked: Bool, _ ending: Ending
    ) -> SyncPlan {
        let schedule = Schedule(interval: .seconds(60))
        switch resource {
        case .users:
            let fetch = world.fetch(isAsked: isAsked, failing: ending.failingPage) { entry in
                User(id: "\(entry.id)", name: User.Name(first: "V\(entry.version)", last: "Same"))
            }
            return .users(
                UsersService(fetchPage: fetch), into: cache.writer, schedule: schedule,
                removals: RemovalGuard(limit: 1))
        case .facts:
            let fetch = world.fetch(isAsked: isAsked, failing: ending.failingPage) { entry in
                newFact("fact \(entry.id)")
            }
            return .facts(
                FactsService(fetchPage: fetch, fetchOne: { throw CancellationError() }), into: cache.writer,
                schedule: schedule, maximum: maximumFacts, now: { began })
        }
    }
}

extension Ending {
    fileprivate var isRefusal: Bool { if case .refused = self { true } else { false } }
    fileprivate var failingPage: Int? { if case .failed(let page) = self { page } else { nil } }
}

extension Cache {
    /// - Returns: nil if the commit is refused.
    func commit(_ resource: Resource, _ number: Int, isRefused: Bool = false) async throws -> RowChanges? {
        struct Refused: Error {}
        let seen = Mutex<RowChanges?>(nil)
        do {
            _ = try await writer.commit(resource, number, .atOnce) { rows in
                if isRefused { throw Refused() }
                seen.withLock { $0 = rows }
                let state = State(
                    epoch: "", index: 0, resource: resource, phase: .loaded, since: began, cause: .requested,
                    count: rows.after, syncedAt: began, stale: false)
                return Change(
                    transition: state, resource: SavedResource(state: state, interval: .seconds(60)))
            }
        } catch is Refused {}
        return seen.withLock { $0 }
    }
}

private func fact(_ number: Int) -> Fact {
    let text = "fact \(number)"
    return Fact(id: "id of \(text)", text: text, length: text.count, firstSeenAt: began)
}
