import Model
import Synchronization
import Upstream

/// Progress in reading the list of users. It belongs to one connection; on another, the list begins again.
struct ListProgress {
    /// The number of the next page.
    var next = 1
    var cookie: [UInt8] = []
    var pageSize: Int
    var references = 0
    /// The version of the whole list, requested before it; nil if the server has none.
    var version: KnownPage?
    /// Parts of the directory that this server has. References to them are not counted.
    var own: Set<DistinguishedName> = []
    /// Managers by DN; nil for one that was not found.
    var managers: [DistinguishedName: User.Manager?] = [:]
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
        var list = ListProgress(pageSize: settings.pageSize)
        let root = try connection.entry(
            .entry("", ["namingContexts", "highestCommittedUSN", "dsServiceName"]))
        list.own = Set((root?.texts("namingcontexts") ?? []).map(DistinguishedName.init))
        let version = try connection.version(of: settings.address.base, root)
        let key = key(of: connection.ticketHolder)
        list.version = version.map { KnownPage(key: key, validators: Validators(etag: $0.text)) }
        if known != nil, list.version == known {
            guard let changes = version?.changes, try connection.hasEntry(above: changes) else { return true }
            // The value stands still: nothing can be told by it.
            list.version = nil
        }
        (held.connection, held.list) = (connection, list)
        return false
    }

    private func search(_ attributes: [String]) -> Search {
        let address = settings.address
        return Search(
            base: address.base, scope: address.scope, filter: address.filter, attributes: attributes,
            pageSize: settings.pageSize)
    }

    func page(_ request: PageRequest, _ held: inout OpenConnection) throws -> (
        page: Page<User>, references: Int
    ) {
        guard let connection = held.connection, var list = held.list, list.next == request.number else {
            throw UpstreamError(
                .offline,
                "the connection to \(settings.address.server) was lost in the middle of the list")
        }
        list.next += 1
        var (found, shape) = ([EntryReader.Result](), request.number == 1 ? ListShape() : nil)
        var search = search(reader.attributes)
        (search.pageSize, search.own) = (list.pageSize, list.own)
        do {
            // A server may send an empty page, and go on with the next.
            repeat {
                let outcome = try connection.search(
                    search, from: list.cookie, entries: entries.load(ordering: .relaxed)
                ) { entry in
                    // Fetching a photo finds out whether there is one: the list would have to bring all photos along.
                    reader.note(entry, in: &shape)
                    found.append(reader.read(entry) { settings.address.photo(of: entry, $0, version: $1) })
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
            return try page(request, &held)
        }
        if request.number == 1, found.isEmpty { throw try nobody(connection) }
        var page = Page<User>(records: try users(of: found, &list, connection))
        for (number, result) in found.enumerated() {
            switch result {
            case .user(_, _, let fields):
                page.unread.tooLong += fields.map { "\($0.name) of entry \(number + 1)" }
            case .leftOut(let id, let isNameless):
                page.leftOut.append(Digest.leftOut(id))
                page.unread.nameless += isNameless ? 1 : 0
            case .unidentified(let reason):
                page.unread.add(unidentified: reason, setting: "users.fields.id")
            }
        }
        if request.number == 1, page.unread.unidentified == found.count, let reason = page.unread.reason {
            throw UpstreamError(
                .decode, "cannot read an entry of \(settings.address.server): \(reason)",
                advice: .check, about: page.unread.setting)
        }
        (page.list, page.shape) = (list.version, shape)
        let hasMore = !list.cookie.isEmpty
        page.isCut = hasMore && settings.pages.map { request.number >= $0 } ?? false
        if hasMore && !page.isCut {
            page.next = PageRequest(number: request.number + 1)
            held.list = list
        } else {
            if !hasMore { page.end = .noNext }
            held.drop()
        }
        return (page, list.references)
    }

    /// The failure for an empty list. With pages, 389 Directory Server reports a missing or hidden base as
    /// empty, so this first searches the base alone.
    private func nobody(_ connection: LDAPConnection) throws -> UpstreamError {
        let address = settings.address
        _ = try connection.search(.entry(address.base, ["1.1"])) { _ in }
        return UpstreamError(
            .ldap,
            """
            \(address.server): no entry below \(address.base.shown(upTo: 200)) matches the filter of users.url and is \
            visible to \(settings.identity)
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
        var search = search(["*"] + reader.attributes + reader.photos)
        search.isOfTypes = true
        search.pageSize = count
        var entries: [DirectoryEntry] = []
        _ = try connection.search(search) { entries.append($0) }
        return FormatSurvey(settings.format, of: entries)
    }
}

extension LDAPConnection {
    /// The newest change (a CSN) of a part of the tree.
    fileprivate typealias Changes = (suffix: String, newest: String)

    /// Differs if anything below the base has changed: the contextCSN of its suffix (OpenLDAP), or a domain
    /// controller's number of changes. Nil if the server has neither, or hides it from userd.
    /// - Parameter root: the root of the server's tree.
    fileprivate func version(
        of base: String, _ root: DirectoryEntry?
    ) throws -> (text: String, changes: Changes?)? {
        guard let root else { return nil }
        if let number = root.texts("highestcommittedusn").first,
            let server = root.texts("dsservicename").first
        {
            return ("\(server) \(number)", nil)
        }
        let name = DistinguishedName(base)
        guard
            let suffix = root.texts("namingcontexts").first(where: {
                !$0.isEmpty && name.isWithin(DistinguishedName($0), .sub)
            })
        else { return nil }
        let changes = try entry(.entry(suffix, ["contextCSN"]))?.texts("contextcsn") ?? []
        return changes.max().map { (changes.sorted().joined(separator: " "), (suffix, $0)) }
    }

    /// Whether an entry is newer than the newest change: without the overlay syncprov, slapd keeps the contextCSN that the
    /// database was loaded with.
    fileprivate func hasEntry(above changes: Changes) throws -> Bool {
        let newest = changes.newest
        guard newest.utf8.allSatisfy({ "#.Z0123456789abcdef".utf8.contains($0) }) else { return true }
        var search = Search(
            base: changes.suffix, scope: .sub, filter: "(&(entryCSN>=\(newest))(!(entryCSN=\(newest))))",
            attributes: ["1.1"])
        search.sizeLimit = 1
        var isFound = false
        do { _ = try self.search(search) { _ in isFound = true } } catch let error as ResultError
            where !error.code.isPassing
        {
            // The server can't tell; the whole list can.
            return true
        }
        return isFound
    }
}
