import FoundationEssentials
import Model
import Synchronization
import Upstream
import UserdAPI
import Varlink

extension MockDaemon {
    func users(_ query: ListUsers) throws -> UserList {
        try contents.withLock { contents in
            let words = (query.search ?? "").words
            var users = contents.users.filter { user in
                (query.near == true
                    ? words.contains { [$0].areWithin(user.searched) }
                    : words.allBegin(someOf: user.searched))
                    && user.isAmong(query.kinds) && user.has(query.city, user.address.city)
                    && user.has(query.company, user.company)
                    && user.has(query.country, user.address.country)
                    && user.has(query.manager, user.manager?.id ?? user.manager?.name)
                    && (query.title.map { [$0[...]].areWithin([user.jobTitle]) } ?? true)
                    && (query.nationality ?? user.nationality)?.lowercased() == user.nationality?.lowercased()
                    && (query.gender ?? user.gender) == user.gender
                    && (query.department ?? user.department)?.lowercased() == user.department?.lowercased()
            }
            let order = query.order ?? .name
            let descending = query.descending ?? false
            users.sort { a, b in
                guard let first = a.key(for: order) else { return false }
                guard let second = b.key(for: order) else { return true }
                return descending ? first > second : first < second
            }
            let page = try Slice(of: users, limit: query.limit, cursor: query.cursor)
            return UserList(
                users: page.records, total: users.count, next: page.next,
                freshness: freshness(of: .users, contents))
        }
    }

    func facts(_ query: ListFacts) throws -> FactList {
        try contents.withLock { contents in
            let words = (query.search ?? "").words
            let facts = contents.facts.filter {
                words.allBegin(someOf: [$0.text]) && $0.length <= query.maxLength ?? .max
            }
            let page = try Slice(of: facts, limit: query.limit, cursor: query.cursor)
            return FactList(
                facts: page.records, total: facts.count, next: page.next,
                freshness: freshness(of: .facts, contents))
        }
    }

    func user(_ key: String, _ kinds: [UserKind]? = nil) throws -> UserReply {
        try contents.withLock { contents in
            let found = contents.users.filter { $0.isAmong(kinds) }.filter { user in
                user.id == key
                    || [user.username, user.email].contains { $0?.lowercased() == key.lowercased() }
            }
            guard let user = found.first else { throw UserdError.notFound(key: key) }
            guard found.count == 1 else { throw UserdError.ambiguous(key: key, ids: found.map(\.id)) }
            return UserReply(user: user, freshness: freshness(of: .users, contents))
        }
    }

    /// Managers are named by ids.
    func managers(_ query: ListManagers) throws -> ManagerChain {
        let first = try user(query.key)
        var (chain, end) = ([first.user], ManagerChain.End.top)
        while let manager = chain.last?.manager {
            guard let found = manager.id.flatMap({ try? user($0).user }) else {
                end = .absent
                break
            }
            guard !chain.contains(where: { $0.id == found.id }) else {
                end = .circle
                break
            }
            chain.append(found)
        }
        return ManagerChain(
            user: first.user, managers: Array(chain.dropFirst()), end: end, named: hasManagers,
            freshness: first.freshness)
    }

    func reports(_ query: ListReports) throws -> ReportTree {
        let first = try user(query.key)
        let all = try users(ListUsers(limit: 100_000)).users
        func reports(of user: User) -> [User] { all.filter { $0.manager?.id == user.id } }
        var positions: [Position] = []
        func add(_ user: User, _ depth: Int) {
            guard !positions.contains(where: { $0.user.id == user.id }) else { return }
            let below = reports(of: user)
            positions.append(Position(user: user, depth: depth, reports: below.count))
            if depth < query.depth ?? .max { for user in below { add(user, depth + 1) } }
        }
        add(first.user, 0)
        return ReportTree(
            positions: Array(positions.prefix(query.limit ?? 200)), total: positions.count,
            named: hasManagers,
            freshness: first.freshness)
    }

    private var hasManagers: Bool { contents.withLock { $0.users.contains { $0.manager != nil } } }

    func picture(_ query: GetPicture) throws -> PictureReply {
        let size = query.size ?? .medium
        let picture = try user(query.key).user.picture?[size].flatMap(FetchedPicture.sample(at:))
        let shown = picture ?? .sample(size)
        return PictureReply(
            content: Data(shown.content).base64EncodedString(), contentType: shown.contentType,
            placeholder: picture == nil)
    }

    /// The first match, not a random one.
    func anyFact(_ query: RandomFact) throws -> FactReply {
        let list = try facts(ListFacts(maxLength: query.maxLength, limit: 1))
        guard let fact = list.facts.first else { throw UserdError.noFacts }
        return FactReply(fact: fact, freshness: list.freshness)
    }

    func history(_ query: History) throws -> States {
        guard query.limit ?? 1 > 0 else { throw VarlinkError.invalidParameter("limit") }
        return contents.withLock { contents in
            let states = contents.history.reversed().filter { [nil, $0.resource].contains(query.resource) }
            return States(states: Array(states.prefix(query.limit ?? 100)))
        }
    }
}

/// A page. Its cursor is the number of records before it.
private struct Slice<Record> {
    let records: [Record]
    let next: String?

    init(of all: [Record], limit: Int?, cursor: String?) throws {
        let size = limit ?? 1000
        guard size > 0 else { throw VarlinkError.invalidParameter("limit") }
        guard let start = Int(cursor ?? "0"), 0...all.count ~= start else {
            throw UserdError.invalidCursor(cursor: cursor ?? "")
        }
        records = Array(all.dropFirst(start).prefix(size))
        let end = start + records.count
        next = end < all.count ? String(end) : nil
    }
}

extension User {
    /// Telephone numbers as they are written.
    fileprivate var searched: [String?] {
        let address = [address.street, address.city, address.state, address.postcode, address.country]
        let contacts = (emails ?? []) + (phones ?? [])
        return [username, name.first, name.last, displayName, email, department, jobTitle, phone, cell]
            + address
            + contacts.map(\.value)
    }

    /// A key that sorts as text; nil sorts last in both directions.
    fileprivate func key(for order: UserOrder) -> String? {
        switch order {
        case .name, .match: "\(name.last)\0\(name.first)".lowercased()
        case .age:
            (bornAt.map { -$0.milliseconds } ?? age.map { Int64($0) * 31_556_952_000 - 1_767_225_600_000 })
                .map { String($0 + 1_000_000_000_000_000) }
        case .registered: registeredAt?.description
        case .nationality: nationality?.lowercased()
        case .email: email?.lowercased()
        case .department: department?.lowercased()
        case .title: jobTitle?.lowercased()
        case .city: address.city?.lowercased()
        }
    }

    fileprivate func isAmong(_ kinds: [UserKind]?) -> Bool {
        (kinds ?? [.person]).contains(kind ?? .person)
    }

    fileprivate func has(_ wanted: String?, _ value: String?) -> Bool {
        wanted == nil || wanted?.lowercased() == value?.lowercased()
    }
}

extension String {
    fileprivate var words: [Substring] {
        lowercased().split { !$0.isLetter && !$0.isNumber }
    }
}

extension [Substring] {
    fileprivate func allBegin(someOf fields: [String?]) -> Bool {
        let words = fields.compactMap { $0?.words }.joined()
        return allSatisfy { prefix in words.contains { $0.hasPrefix(prefix) } }
    }

    fileprivate func areWithin(_ fields: [String?]) -> Bool {
        allSatisfy { word in
            fields.contains { $0?.lowercased().firstRange(of: word.lowercased()) != nil }
        }
    }
}
