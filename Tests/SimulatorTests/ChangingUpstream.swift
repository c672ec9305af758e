import Model
import Synchronization
import Upstream

/// A directory that says what changed, and keeps what it told, apart from any cache.
final class ChangingUpstream: Sendable {
    enum Kind: Sendable {
        /// A log, as Microsoft Graph has.
        case log
        /// Stamps and ids, as an LDAP server has. Whoever is deleted or leaves the filter is found by the ids alone.
        case stamps
    }

    let contents: Mutex<Contents>
    private let kind: Kind

    /// - Parameter isLiar: leaves out some changes.
    init(_ kind: Kind, isLiar: Bool, random: SharedRandom) {
        self.kind = kind
        contents = Mutex(Contents(kind: kind, isLiar: isLiar, random: random))
    }

    var users: UsersService {
        var service = UsersService { [self] _, _ in contents.withLock { $0.list } }
        service.source = "changing"
        service.requiresConsistentPages = true
        var changes = ChangesService(
            fingerprint: "a", begin: { [self] in contents.withLock { $0.beginning } },
            fetchPage: { [self] token, request, stored in
                let token = token.split(separator: " ").compactMap { Int($0) }
                switch kind {
                case .log: return try contents.withLock { try $0.logPage(token, request) }
                case .stamps:
                    let found = try contents.withLock { try $0.search(token, request) }
                    let stamps = try await stored(found.people.flatMap { [$0.id, $0.digest] })
                    return contents.withLock { $0.page(of: found, stamps, token, request) }
                }
            })
        (changes.isTokenRenewedByLists, changes.namesAll) = (kind == .log, kind == .log)
        service.changes = changes
        return service
    }
}

extension ChangingUpstream {
    struct Person: Sendable {
        let id: String
        var version: Int
        var department: Int
        var isDisabled = false
        /// Moved out of the filter.
        var isOutside = false
        var stamp = 0

        var isListed: Bool { !isDisabled && !isOutside }
        /// Keeps the stamp of somebody who is left out.
        var digest: String { "-\(id)" }

        var user: User {
            User(id: id, name: User.Name(first: "Ada", last: "v\(version)")) {
                $0.department = "d\(department)"
            }
        }
    }

    enum Entry: Sendable {
        /// - Parameter isPartial: the record lacks the department, which has not changed.
        case person(Person, isPartial: Bool)
        case gone(String)
    }

    /// The content that a backup keeps.
    struct Directory: Sendable {
        var people: [String: Person] = [:]
        var log: [Entry] = []
        /// The greatest that was counted.
        var stamp = 0
        /// Changes that were counted, and are seen from the sync of this number on.
        var uncommitted: [(person: Person, from: Int)] = []

        var sorted: [Person] { people.values.sorted { $0.id < $1.id } }
    }

    /// Everything that it told since the last list that was taken.
    struct Told: Sendable {
        var users: [String: User] = [:]
        private var named: Set<String> = []
        private var present: Set<String> = []

        init(_ users: [String: User] = [:]) { self.users = users }

        mutating func take(_ page: Page<User>) {
            for number in 0...page.records.count {
                for gone in page.gone where gone.records == number {
                    users[gone.id] = nil
                    named.insert(gone.id)
                }
                guard number < page.records.count else { break }
                var user = page.records[number]
                if page.lacking[number]?.absent.contains(.department) == true {
                    user.department = users[user.id]?.department
                }
                users[user.id] = user
                named.insert(user.id)
            }
            present.formUnion(page.present)
            guard page.namesAll else { return }
            users = users.filter { named.contains($0.key) || present.contains($0.key) }
        }
    }

    struct Contents: Sendable {
        let kind: Kind
        let isLiar: Bool
        let random: SharedRandom
        var directory = Directory()
        var backup = Directory()
        /// Differs after the directory was restored.
        var generation = 0
        /// Number of the next sync.
        var sync = 0
        var versions = 0
        /// Number of log entries that are shown. The list is ahead of them, but all are shown one sync later.
        var shown = 0
        /// Number of log entries at the last sync.
        var logged = 0
        /// The server's stamp, if it stands still.
        var frozen: Int?
        var readsIDs = false
        /// Number of pages of changes after which the token is refused.
        var pagesToRefusal: Int?
        /// The last sync whose token is refused. Two in a row would turn changes off.
        var refused = 0
        /// The records that the cache has.
        var told = Told()
        /// The same after the changes that were read last.
        var telling = Told()

        init(kind: Kind, isLiar: Bool, random: SharedRandom) {
            (self.kind, self.isLiar, self.random) = (kind, isLiar, random)
            for number in 0..<20 {
                versions += 1
                write(Person(id: "u\(number)", version: versions, department: 0))
            }
            backup = directory
        }
    }
}

/// Events in the directory between two syncs.
extension ChangingUpstream.Contents {
    mutating func happen() {
        sync += 1
        pagesToRefusal = nil
        if random.chance(0.1) { backup = directory }
        for _ in 0..<random.int(below: 6) { edit() }
        if random.chance(0.1) { frozen = frozen == nil ? directory.stamp : nil }
        if refused < sync - 1, random.chance(0.15) {
            refused = sync
            if random.chance(0.5) { restore() } else { pagesToRefusal = random.int(below: 3) }
        }
        let late = random.chance(0.3) ? random.int(below: directory.log.count - logged + 1) : 0
        settle(late: late, through: sync)
    }

    /// Nothing happens, and all is seen.
    mutating func rest() {
        sync += 1
        (pagesToRefusal, frozen) = (nil, nil)
        settle(late: 0, through: .max)
    }

    private mutating func settle(late: Int, through sync: Int) {
        (shown, logged) = (directory.log.count - late, directory.log.count)
        for (person, from) in directory.uncommitted where from <= sync {
            directory.people[person.id] = person
        }
        directory.uncommitted.removeAll { $0.from <= sync }
    }

    private mutating func restore() {
        directory = backup
        generation += 1
        (logged, frozen) = (directory.log.count, nil)
    }

    private mutating func edit() {
        let id = "u\(random.int(below: 40))"
        guard !directory.uncommitted.contains(where: { $0.person.id == id }) else { return }
        versions += 1
        guard var person = directory.people[id] else {
            return write(
                ChangingUpstream.Person(id: id, version: versions, department: random.int(below: 3)))
        }
        let isTold = !isLiar || random.chance(0.5)
        person.version = versions
        switch random.int(below: 8) {
        case 0: return remove(id, isTold: isTold)
        case 1: person.isDisabled.toggle()
        case 2: person.isOutside.toggle()
        case 3: person.department += 1
        default: break
        }
        write(person, isTold: isTold)
    }

    private mutating func remove(_ id: String, isTold: Bool) {
        guard let person = directory.people.removeValue(forKey: id) else { return }
        if kind == .log, isTold, person.isListed { directory.log.append(.gone(id)) }
    }

    private mutating func write(_ person: ChangingUpstream.Person, isTold: Bool = true) {
        var person = person
        if isTold {
            directory.stamp += 1
            person.stamp = directory.stamp
            if kind == .stamps, random.chance(0.2) {
                directory.uncommitted.append((person: person, from: sync + 1 + random.int(below: 2)))
                return
            }
        }
        let before = directory.people.updateValue(person, forKey: person.id)
        guard kind == .log, isTold else { return }
        let wasListed = before?.isListed == true
        if person.isListed {
            let isSame = wasListed && before?.department == person.department
            directory.log.append(.person(person, isPartial: isSame && random.chance(0.5)))
        } else if wasListed {
            directory.log.append(.gone(person.id))
        }
    }
}
