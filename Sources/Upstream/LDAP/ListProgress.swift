import Model
import Synchronization
import Upstream

/// Progress in reading the list of users. It belongs to one connection; on another, the list begins again.
struct ListProgress {
    /// The number of the next page.
    var next = 1
    var cookie: [UInt8] = []
    var part: SearchedPart
    var pageSize: Int
    var references = 0
    /// The version of the whole list, requested before it; nil if the server has none.
    var version: KnownPage?
    /// Parts of the directory that this server has. References to them are not counted.
    var own: Set<DistinguishedName> = []
    /// The token of the changes after what is read.
    var token: StampToken?
    /// How far the changes are read; nil for a list.
    var changes: ChangesProgress?
    /// Whether an entry lies where people are; looked for only among further kinds.
    var hasPeople = false
    /// Whether an entry had a stamp. Without any, nothing can be told.
    var hasStamps = false
    /// Hashes of all ids, and whether one came twice: stamps are kept by id.
    var ids: Set<Int> = []
    var hasSharedID = false
    /// Managers by DN; nil for one that was not found.
    var managers: [DistinguishedName: User.Manager?] = [:]
}

extension ListProgress {
    var tellsChanges: Bool { hasStamps && !hasSharedID }
}

extension LDAPDirectory {
    typealias OpenConnection = BlockingThread.OpenConnection

    /// Connects, and reads the list's version.
    /// - Returns: whether the known list is current.
    func begin(_ held: inout OpenConnection, _ cancellable: CancellableSocket, _ known: KnownPage?) throws
        -> Bool
    {
        held.drop()
        entries.store(0, ordering: .relaxed)
        let connection = try connect(cancellable)
        let root = try connection.entry(.entry("", LDAPConnection.rootAttributes))
        let contexts = root?.texts("namingcontexts") ?? []
        var list = ListProgress(part: settings.part(in: contexts), pageSize: settings.pageSize)
        list.own = Set(contexts.map(DistinguishedName.init))
        let stamp = try connection.stamp(of: settings.address.base, root)
        list.version = stamp.version.map {
            KnownPage(key: key(of: connection.ticketHolder), validators: Validators(etag: $0))
        }
        if known != nil, list.version == known {
            guard stamp.kind == .entryCSN, try connection.hasEntry(above: stamp) else { return true }
            // The value stands still: nothing can be told by it.
            list.version = nil
        }
        let now = now()
        let seconds = Int(settings.idsInterval.inSeconds)
        list.token = StampToken(
            stamp, at: now, idsDue: now + .seconds(settings.random(0...max(0, seconds))))
        list.token?.address = connection.place
        (held.connection, held.list) = (connection, list)
        return false
    }

    /// The part of the directory that is searched. Asks only if further kinds are listed.
    func part(_ connection: LDAPConnection) throws -> SearchedPart {
        let root =
            settings.format.hasOtherKinds ? try connection.entry(.entry("", ["namingContexts"])) : nil
        return settings.part(in: root?.texts("namingcontexts") ?? [])
    }

    private func search(_ attributes: [String], in part: SearchedPart) -> Search {
        Search(
            base: part.base, scope: part.scope, filter: settings.filter, attributes: attributes,
            pageSize: settings.pageSize)
    }

    /// The next page of the search that is held.
    /// - Parameter filter: in place of the list's.
    func nextEntries(
        _ request: PageRequest, _ held: inout OpenConnection, _ attributes: [String], filter: String? = nil
    ) throws -> [DirectoryEntry] {
        guard let connection = held.connection, var list = held.list, list.next == request.number else {
            throw UpstreamError(
                .offline,
                "the connection to \(settings.address.server) was lost in the middle of the list")
        }
        list.next += 1
        var found: [DirectoryEntry] = []
        var search = search(attributes, in: list.part)
        (search.pageSize, search.own) = (list.pageSize, list.own)
        search.filter = filter ?? search.filter
        do {
            // A server may send an empty page, and go on with the next.
            repeat {
                let outcome = try connection.search(
                    search, from: list.cookie, entries: entries.load(ordering: .relaxed)
                ) { entry in
                    found.append(entry)
                    entries.add(1, ordering: .relaxed)
                }
                list.cookie = outcome.cookie
                list.references += outcome.references
            } while found.isEmpty && !list.cookie.isEmpty
        } catch let error as ResultError
            where error.code.isOfSize && list.cookie.isEmpty && list.pageSize > 1
        {
            // 389 Directory Server limits each page, not the list.
            held.list?.pageSize = list.pageSize / 2
            entries.store(0, ordering: .relaxed)
            return try nextEntries(request, &held, attributes, filter: filter)
        }
        if settings.seeksPeople, !list.hasPeople {
            list.hasPeople = found.contains(where: settings.isAmongPeople)
        }
        held.list = list
        return found
    }

    func page(_ request: PageRequest, _ held: inout OpenConnection) throws -> (
        page: Page<User>, references: Int
    ) {
        let found = try nextEntries(request, &held, attributes(with: held.list?.token?.kind))
        guard let connection = held.connection, var list = held.list else { throw CancellationError() }
        let isWithoutPeople = settings.seeksPeople && list.cookie.isEmpty && !list.hasPeople
        if request.number == 1 && found.isEmpty || isWithoutPeople { throw try nobody(connection, list.part) }
        var page = try page(of: found, &list, connection)
        if request.number == 1 {
            if page.unread.unidentified == found.count, let reason = page.unread.reason {
                throw UpstreamError(
                    .decode, "cannot read an entry of \(settings.address.server): \(reason)",
                    advice: .check, about: page.unread.setting)
            }
            var shape: ListShape? = ListShape()
            for entry in found { reader.note(entry, in: &shape) }
            page.shape = shape
        }
        page.list = list.version
        let hasMore = !list.cookie.isEmpty
        page.isCut = hasMore && settings.pages.map { request.number >= $0 } ?? false
        if hasMore && !page.isCut {
            page.next = PageRequest(number: request.number + 1)
            held.list = list
        } else {
            if !hasMore {
                (page.end, page.changeToken) = (.noNext, list.tellsChanges ? list.token?.text : nil)
            }
            held.drop()
        }
        return (page, list.references)
    }

    /// All that is read of an entry, and its stamp.
    func attributes(with stamp: StampKind?) -> [String] {
        reader.attributes + [stamp?.rawValue].compactMap { $0 }.filter { !reader.attributes.contains($0) }
    }

    /// The users that these entries are, with their stamps.
    func page(
        of found: [DirectoryEntry], _ list: inout ListProgress, _ connection: LDAPConnection
    ) throws -> Page<User> {
        // Fetching a photo finds out whether there is one: the list would have to bring all photos along.
        let results = found.map { entry in
            reader.read(entry) { settings.address.photo(of: entry, $0, version: $1) }
        }
        var page = Page<User>(records: try users(of: results, &list, connection))
        for (number, (entry, result)) in zip(found, results).enumerated() {
            let stamp = list.token?.kind.stamp(of: entry)
            switch result {
            case .user(let user, _, let fields):
                page.unread.tooLong += fields.map { "\($0.name) of entry \(number + 1)" }
                page.stamps[user.id] = stamp.map { settings.cachedStamp($0, of: entry) }
            case .leftOut(let id, let isNameless, let isElsewhere):
                let digest = Digest.leftOut(id)
                if list.changes == nil {
                    if !isElsewhere { page.leftOut.append(digest) }
                } else {
                    page.gone.append(Gone(id: id, after: page.records.count))
                }
                page.unread.nameless += isNameless ? 1 : 0
                page.stamps[digest] = stamp.map { settings.cachedStamp($0, of: entry) }
            case .unidentified(let reason):
                page.unread.add(unidentified: reason, setting: "users.fields.id")
            }
            guard let id = reader.id(of: entry) else { continue }
            list.token?.note(id, stamp ?? "")
            // A token of an earlier version asks for all, until the next list.
            if let token = list.token, list.changes == nil || token.idAttributes != nil {
                list.token?.idAttributes = max(token.idAttributes ?? 0, reader.idAttributes(of: entry))
            }
            list.hasStamps = list.hasStamps || stamp?.isEmpty == false
            if list.changes == nil, !list.ids.insert(id.hashValue).inserted { list.hasSharedID = true }
        }
        return page
    }

    /// The failure for an empty list. With pages, 389 Directory Server reports a missing or hidden base as
    /// empty, so this first searches the base alone.
    private func nobody(_ connection: LDAPConnection, _ part: SearchedPart) throws -> UpstreamError {
        let hasPeople = settings.format.kinds.contains(.person)
        let base = hasPeople ? settings.address.base : part.base
        _ = try connection.search(.entry(base, ["1.1"])) { _ in }
        return UpstreamError(
            .ldap,
            """
            \(settings.address.server): no entry below \(base.shown(upTo: 200)) matches the filter of \
            \(hasPeople ? "users.url" : "users.kinds") and is visible to \(settings.identity)
            """)
    }

    /// Adds managers to users: those in the list by id and name, the others only by name.
    private func users(
        of found: [EntryReader.Result], _ list: inout ListProgress, _ connection: LDAPConnection
    ) throws -> [User] {
        var users: [User] = []
        var managed: [(user: Int, manager: DistinguishedName)] = []
        var unknown: [DistinguishedName: String] = [:]
        for case .user(let user, let manager, _) in found {
            if let manager {
                let name = DistinguishedName(manager)
                managed.append((users.count, name))
                if list.managers[name] == nil { unknown[name] = manager }
            }
            users.append(user)
        }
        let base = DistinguishedName(settings.address.base)
        let inside = unknown.filter { $0.key.isWithin(base, settings.address.scope) }
        try lookUp(inside, settings.address.filter, connection) { list.managers[$0] = $1 }
        let others = unknown.filter { list.managers[$0.key] == nil }
        try lookUp(others, Search.anything, connection) { list.managers[$0] = User.Manager(name: $1.name) }
        for name in others.keys where list.managers[name] == nil { list.managers[name] = .some(nil) }
        for (user, manager) in managed {
            if let known = list.managers[manager], let known { users[user].manager = known }
        }
        return users.map { $0.omitting(settings.format.omitted) }
    }

    /// Looks managers up by DN: they are few, so this costs less than keeping the names of all users.
    /// - Parameter found: called for each manager that is found.
    private func lookUp(
        _ managers: [DistinguishedName: String], _ filter: String, _ connection: LDAPConnection,
        _ found: (DistinguishedName, User.Manager) -> Void
    ) throws {
        var rest = Array(managers)[...]
        while !rest.isEmpty {
            let some = rest.prefix(100)
            let entries = try connection.entries(
                some.map {
                    var search = Search.entry($0.value, reader.identity)
                    search.filter = filter
                    return search
                })
            for (manager, entry) in zip(some, entries) {
                if let known = entry.flatMap(reader.manager) { found(manager.key, known) }
            }
            rest = rest.dropFirst(100)
        }
    }

    func survey(of count: Int, _ connection: LDAPConnection) throws -> FormatSurvey {
        // Without values, because some may be passwords.
        var search = search(["*"] + reader.attributes + reader.photos, in: try part(connection))
        search.isOfTypes = true
        search.pageSize = count
        var entries: [DirectoryEntry] = []
        _ = try connection.search(search) { entries.append($0) }
        return FormatSurvey(settings.format, of: entries)
    }
}
