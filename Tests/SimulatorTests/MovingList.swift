import Model
import Sync
import Synchronization
import Upstream

/// A list by page number from which people leave, join and move between two pages; that is short for minutes or a
/// night; and that really shrinks.
struct MovingList {
    /// How often people leave, join and move.
    enum Churn {
        /// In one of three lists, and at most once between two pages.
        case usual
        /// Between any two pages of each list, up to three times.
        case wild
    }

    static let pageSize = 10
    let churn: Churn
    var order: [Int]
    private var next: Int
    private var lists = 0
    /// Number of committed lists that nothing disturbed.
    var quietCommits = 0
    /// Number of quiet commits when a person left.
    private(set) var left: [Int: Int] = [:]
    /// People whom no page shows for now, though the total counts them.
    private var hidden: Set<Int> = []
    private var hiddenUntil = Duration.zero
    /// The list ends with a page that does not exist.
    private var isCut = false
    private var isDisturbed = false
    private let phase: Int

    init(churn: Churn, random: SharedRandom) {
        self.churn = churn
        order = Array(0..<random.pick([25, 40, 60]))
        next = order.count
        phase = random.int(below: 3)
    }

    /// Whether nothing disturbs the current list.
    var isQuiet: Bool { hidden.isEmpty && !isCut && !isDisturbed }

    mutating func page(_ number: Int, now: Duration, _ random: SharedRandom) -> Page<User> {
        if number == 1 { begin(now, random) } else if isDisturbed { disturb(random) }
        let start = (number - 1) * Self.pageSize
        if isCut, number > 2 { return Page(records: [], end: .notThere(404)) }
        let shown = order.filter { !hidden.contains($0) }
        var page = Page(
            records: shown.dropFirst(start).prefix(Self.pageSize).map { number in
                User(id: "u\(number)", name: User.Name(first: "v", last: "Nº \(number)"))
            }, total: isCut ? nil : order.count)
        if start + Self.pageSize < shown.count {
            page.next = PageRequest(number: number + 1, isCounted: true)
        }
        return page
    }

    private mutating func begin(_ now: Duration, _ random: SharedRandom) {
        lists += 1
        if now >= hiddenUntil {
            (hidden, isCut) = ([], false)
            if random.chance(0.02) {
                hiddenUntil = now + random.pick([.seconds(600), .seconds(8 * 3600)])
                isCut = random.chance(0.3)
                if !isCut { hidden = Set(order.filter { _ in random.chance(0.3) }) }
            } else if random.chance(0.02) {
                for number in order where random.chance(0.2) { leave(number) }
            }
        }
        isDisturbed = churn == .wild || lists % 3 == phase
    }

    private mutating func disturb(_ random: SharedRandom) {
        for _ in 0..<(churn == .wild ? random.int(below: 4) : random.int(below: 2)) {
            switch random.int(below: 3) {
            case 0: if order.count > 20 { leave(random.pick(order)) }
            case 1 where order.count < 100:
                order.insert(next, at: random.int(below: order.count + 1))
                next += 1
            default:
                let number = random.pick(order)
                order.removeAll { $0 == number }
                order.insert(number, at: random.int(below: order.count + 1))
            }
        }
    }

    private mutating func leave(_ number: Int) {
        order.removeAll { $0 == number }
        hidden.remove(number)
        left[number] = quietCommits
    }
}

extension SimulatedUpstream {
    var movingUsers: UsersService {
        var service = UsersService(fetchPage: { [self] request, _ in
            try await asking(.users, request) { contents in
                contents.moving?.page(request.number, now: time.now, random) ?? Page(records: [])
            }
        })
        service.requiresConsistentPages = true
        return service
    }
}

/// What became of people over some days.
struct Removals {
    var removed = 0
    /// Those who were upstream all the time.
    var falsely = 0
}

extension Simulation {
    /// Lives with a list that moves, and is killed now and then.
    func live(with list: MovingList, for duration: Duration) throws -> Removals {
        upstream.contents.withLock { $0.moving = list }
        try boot()
        try settle()
        var (removals, cached, syncedAt) = (Removals(), Set<String>(), Timestamp?.none)
        while let due = time.nextDue, due < duration {
            time.advance(to: due)
            try settle(killAfter: random.chance(0.01) ? random.int(below: 60) : nil)
            let state = daemon?.engine.states.first { $0.resource == .users }
            guard let state, state.syncedAt != syncedAt else { continue }
            syncedAt = state.syncedAt
            let list = upstream.contents.withLock { contents in
                if contents.moving?.isQuiet == true { contents.moving?.quietCommits += 1 }
                return contents.moving
            }
            guard let list else { continue }
            let ids = try disk.ids(of: .users)
            let gone = cached.subtracting(ids)
            cached = ids
            removals.removed += gone.count
            removals.falsely += gone.intersection(list.order.map { "u\($0)" }).count
            try checkGone(ids, list)
        }
        try end()
        return removals
    }

    /// Whoever left before a quiet list is missing in it, and gone after the next.
    private func checkGone(_ ids: Set<String>, _ list: MovingList) throws {
        for (number, before) in list.left where ids.contains("u\(number)") {
            guard list.quietCommits - before < 2 else {
                throw failure("u\(number) left \(list.quietCommits - before) quiet lists ago, and is cached")
            }
        }
    }
}
