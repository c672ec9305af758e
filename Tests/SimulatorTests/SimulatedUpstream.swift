import Model
import Synchronization

@testable import Upstream

/// Upstream and the network, which fail, stall, send wrong data and recover.
final class SimulatedUpstream: Sendable {
    enum Mood: CaseIterable {
        case well
        /// Each page may fail.
        case flaky
        case refusing, failing, limiting, stalling, garbled
        /// Sends no users, or only two.
        case empty, decimated
        /// Sends a record of an earlier page again.
        case repeating
        /// There is always one more page.
        case endless
    }

    struct Contents {
        /// The version of each user, by number.
        var people: [Int: Int] = [:]
        var facts = 0
        var mood = Mood.well
        var isReachable = true
        var requests: [Resource: Int] = [:]
        var underWay: [Resource: Int] = [:]
        /// When the last request was answered.
        var answered: [Resource: Duration] = [:]
        /// Maximum number of requests of one resource at once.
        var mostUnderWay = 0
        /// Number of the current daemon. Requests of earlier ones no longer count.
        var daemon = 0
        /// Ids sent to the sync that began last.
        var given: [Resource: Set<String>] = [:]
        /// Set for a list of users that moves while it is read, in place of `people`.
        var moving: MovingList?
    }

    private static let pageSize = 16
    let contents = Mutex(Contents())
    let time: SimulatedTime
    let random: SharedRandom
    /// True if its pages have validators.
    private let hasValidators: Bool

    init(time: SimulatedTime, random: SharedRandom) {
        self.time = time
        self.random = random
        hasValidators = random.chance(0.5)
        let people = random.pick([0, 3, 15, 24, 40])
        let facts = random.pick([0, 5, 20])
        contents.withLock {
            $0.people = Dictionary(uniqueKeysWithValues: (0..<people).map { ($0, 0) })
            $0.facts = facts
        }
    }

    /// Notes that a new daemon starts.
    func next() {
        contents.withLock {
            $0.daemon += 1
            $0.underWay = [:]
        }
    }

    var users: UsersService {
        guard contents.withLock({ $0.moving }) == nil else { return movingUsers }
        return UsersService(fetchPage: { [self] request, known in
            try await answer(.users, request, known) { contents, mood in
                let numbers = contents.people.keys.sorted()
                let all = mood == .empty ? [] : mood == .decimated ? Array(numbers.prefix(2)) : numbers
                return all.map { number in
                    User(
                        id: "u\(number)",
                        name: User.Name(first: "v\(contents.people[number] ?? 0)", last: "Nº \(number)"))
                }
            }
        })
    }

    var facts: FactsService {
        FactsService(
            fetchPage: { [self] request, known in
                try await answer(.facts, request, known) { contents, mood in
                    mood == .empty ? [] : (0..<contents.facts).map(fact)
                }
            },
            fetchOne: { [self] in
                try await pass(.facts)
                return fact(contents.withLock { $0.facts })
            })
    }

    /// Ids of the current records.
    func truth(_ resource: Resource) -> Set<String> {
        contents.withLock { contents in
            switch resource {
            case .users: Set(contents.people.keys.map { "u\($0)" })
            case .facts: Set((0..<contents.facts).map { fact($0).id })
            }
        }
    }

    private func answer<Record: Identified>(
        _ resource: Resource, _ request: PageRequest, _ known: KnownPage?,
        records: (Contents, Mood) -> [Record]
    ) async throws -> Page<Record> {
        try await asking(resource, request) { contents in
            let all = records(contents, contents.mood)
            let start = (request.number - 1) * Self.pageSize
            var page = Array(all.dropFirst(start).prefix(Self.pageSize))
            if contents.mood == .repeating, request.number > 1, let first = all.first { page.append(first) }
            let isLast = start + Self.pageSize >= all.count
            let next = isLast && contents.mood != .endless ? nil : PageRequest(number: request.number + 1)
            contents.given[resource, default: []].formUnion(page.map(\.id))
            let version = KnownPage(
                key: "\(resource)/\(request.number)",
                validators: Validators(etag: page.map(\.version).joined(separator: " ") + "\(next == nil)"))
            if hasValidators, known == version { return .unchanged(version) }
            return Page(
                records: page, next: next, total: all.count, known: hasValidators ? version : nil)
        }
    }

    /// Counts a request, lets the network pass it, and answers.
    func asking<Answer>(
        _ resource: Resource, _ request: PageRequest, _ answer: (inout Contents) -> Answer
    ) async throws -> Answer {
        let daemon = contents.withLock { contents in
            contents.requests[resource, default: 0] += 1
            contents.underWay[resource, default: 0] += 1
            contents.mostUnderWay = max(contents.mostUnderWay, contents.underWay[resource] ?? 0)
            if request == .first { contents.given[resource] = [] }
            return contents.daemon
        }
        defer {
            contents.withLock {
                guard $0.daemon == daemon else { return }
                $0.underWay[resource, default: 0] -= 1
                $0.answered[resource] = time.now
            }
        }
        try await pass(resource)
        return contents.withLock { answer(&$0) }
    }

    /// Simulates the network and the server's mood.
    private func pass(_ resource: Resource) async throws {
        // Some requests ignore cancellation, like an answer that is being read.
        try await time.sleep(
            random.duration(.milliseconds(10), .seconds(4)), isDeaf: random.chance(0.1))
        let (mood, isReachable) = contents.withLock { ($0.mood, $0.isReachable) }
        guard isReachable else { throw UpstreamError(.offline, "the network is unreachable") }
        switch mood {
        case .well, .empty, .decimated, .repeating, .endless: return
        case .flaky: if random.chance(0.3) { throw UpstreamError(.offline, "connection reset") }
        case .refusing: throw UpstreamError(.offline, "connection refused")
        case .failing: throw UpstreamError(.http, "answered 500", status: 500)
        case .limiting:
            throw UpstreamError(
                .rateLimited, "answered 429", status: 429,
                retryAfter: random.pick([nil, .zero, .seconds(30), .seconds(4000), .seconds(10_000_000)]))
        case .stalling:
            try await time.sleep(.seconds(60))
            throw UpstreamError(.timeout, "has not answered")
        case .garbled:
            throw UpstreamError(random.pick([.decode, .redirect, .tooLarge, .tls]), "rubbish")
        }
    }
}

private protocol Identified: Sendable {
    var id: String { get }
    var version: String { get }
}

extension User: Identified {
    fileprivate var version: String { id + name.first }
}
extension NewFact: Identified {
    fileprivate var version: String { id }
}

private func fact(_ number: Int) -> NewFact { NewFact(id: "f\(number)", text: "Fact \(number)", length: 8) }
