import Model
import Upstream

/// Its answers.
extension ChangingUpstream.Contents {
    var list: Page<User> {
        let listed = directory.sorted.filter(\.isListed)
        var page = Page(records: listed.map(\.user))
        guard kind == .stamps else { return page }
        page.changeToken = "\(generation) \(stamp)"
        for person in listed { page.stamps[person.id] = "\(person.stamp)" }
        for person in directory.sorted where person.isDisabled && !person.isOutside {
            page.stamps[person.digest] = "\(person.stamp)"
            page.leftOut.append(person.digest)
        }
        return page
    }

    var beginning: String? { kind == .log ? "\(generation) \(shown)" : nil }

    private var stamp: Int { frozen ?? directory.stamp }

    /// - Parameter token: the generation, and the number of log entries that are known.
    mutating func logPage(_ token: [Int], _ request: PageRequest) throws -> Page<User> {
        try refuse(token, request)
        let replayed = random.chance(0.2) ? random.int(below: 6) : 0
        let start = request.place ?? max(0, token[1] - replayed)
        let end = random.chance(0.15) ? start : min(start + 1 + random.int(below: 4), shown)
        var page = Page<User>()
        for entry in directory.log[start..<end] {
            switch entry {
            case .person(let person, let isPartial): add(person, isPartial: isPartial, to: &page)
            case .gone(let id): page.gone.append(Gone(id: id, after: page.records.count))
            }
        }
        // An empty page ends nothing.
        if end < shown || end == start && random.chance(0.5) {
            page.next = request.next(at: end)
        } else {
            page.changeToken = "\(generation) \(shown)"
        }
        tell(page, request)
        return page
    }

    struct Found: Sendable {
        var people: [ChangingUpstream.Person]
        var isOfIDs: Bool
        /// The beginning of the next page; nil on the last one.
        var next: Int?
    }

    /// - Parameter token: the generation, and the server's stamps at the last three syncs. All changes of the first were seen
    ///   by the last.
    func search(_ token: [Int], _ request: PageRequest) throws -> Found {
        try refuse(token, request)
        let isOfIDs = readsIDs || token.count < 4
        let all = directory.sorted.filter { !$0.isOutside && (isOfIDs || $0.stamp >= token[1]) }
        let start = request.place ?? 0
        let end = random.chance(0.15) ? start : min(start + 1 + random.int(below: 15), all.count)
        return Found(people: Array(all[start..<end]), isOfIDs: isOfIDs, next: end < all.count ? end : nil)
    }

    /// - Parameter stored: the cached stamps.
    mutating func page(
        of found: Found, _ stored: [String: String], _ token: [Int], _ request: PageRequest
    ) -> Page<User> {
        var page = Page<User>()
        for person in found.people {
            if (stored[person.id] ?? stored[person.digest]) == "\(person.stamp)" {
                if stored[person.id] != nil { page.present.append(person.id) }
            } else if person.isDisabled {
                page.gone.append(Gone(id: person.id, after: page.records.count))
                page.stamps[person.digest] = "\(person.stamp)"
            } else {
                add(person, to: &page)
                page.stamps[person.id] = "\(person.stamp)"
            }
        }
        if let next = found.next {
            page.next = request.next(at: next)
        } else {
            page.namesAll = found.isOfIDs
            let stamps = (token.dropFirst() + [stamp]).suffix(3)
            page.changeToken = ([generation] + stamps).map { "\($0)" }.joined(separator: " ")
        }
        tell(page, request)
        return page
    }

    private func refuse(_ token: [Int], _ request: PageRequest) throws {
        let isRefused = pagesToRefusal.map { request.number > $0 } ?? false
        guard isRefused || token[0] != generation else { return }
        switch kind {
        case .log: throw UpstreamError(.http, "gone", status: 410)
        case .stamps: throw ChangesUnknown("the directory was restored")
        }
    }

    /// Some come twice.
    private func add(
        _ person: ChangingUpstream.Person, isPartial: Bool = false, to page: inout Page<User>
    ) {
        for _ in 0..<(random.chance(0.1) ? 2 : 1) {
            var user = person.user
            if isPartial {
                user.department = nil
                var lacking = LackingRecord()
                lacking.absent = [.department]
                page.lacking[page.records.count] = lacking
            }
            page.records.append(user)
        }
    }

    private mutating func tell(_ page: Page<User>, _ request: PageRequest) {
        if request.number == 1 { telling = ChangingUpstream.Told(told.users) }
        telling.take(page)
    }

    /// A sync was committed.
    /// - Returns: the users that it must have cached.
    mutating func committed(_ scope: SyncScope) -> [User] {
        let users: [String: User] =
            switch scope {
            case .full: Dictionary(uniqueKeysWithValues: list.records.map { ($0.id, $0) })
            case .changes: telling.users
            }
        told = ChangingUpstream.Told(users)
        return Array(users.values)
    }
}

extension PageRequest {
    fileprivate var place: Int? { token?.split(separator: " ").first.flatMap { Int($0) } }

    /// A token that comes again would be an endless list.
    fileprivate func next(at place: Int) -> PageRequest {
        PageRequest(number: number + 1, token: "\(place) \(number)")
    }
}
