import DirectoryFormats
import HTTP
import Model
import Synchronization

/// How far the list of users is read. It belongs to one connection: over another, it begins anew.
struct ListProgress {
    /// The page that is to be asked for.
    var next = 1
    var cookie: [UInt8] = []
    var pageSize: Int
    var references = 0
    /// Of the whole list, asked for before it; nil where the server has none.
    var version: KnownPage?
    /// What the server has by itself. One of several parts may refer to the others.
    var own: Set<DistinguishedName> = []
    /// By their entries; nil for one that is not in the list.
    var managers: [DistinguishedName: User.Manager?] = [:]
}

extension LDAPDirectory {
    typealias OpenConnection = BlockingThread.OpenConnection

    /// Connects.
    /// - Returns: whether the list is the known one.
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
        list.version = try connection.validator(of: settings.address.base, root).map {
            KnownPage(key: key, validators: Validators(etag: $0))
        }
        if known != nil, list.version == known { return true }
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
        page: DecodedPage<User>, references: Int
    ) {
        guard let connection = held.connection, var list = held.list, list.next == request.number else {
            throw UpstreamError(
                .offline,
                "the connection to \(settings.address.server) was lost in the middle of the list")
        }
        list.next += 1
        var found: [EntryReader.Result] = []
        var search = search(reader.attributes)
        (search.pageSize, search.own) = (list.pageSize, list.own)
        do {
            // A server may send a page without entries, and go on with the next.
            repeat {
                let outcome = try connection.search(
                    search, from: list.cookie, entries: entries.load(ordering: .relaxed)
                ) { entry in
                    found.append(try read(entry))
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
        var page = DecodedPage<User>(records: try users(of: found, &list, connection))
        page.leftOut = found.compactMap { if case .leftOut(let id) = $0 { id } else { nil } }
        page.list = list.version
        let hasMore = !list.cookie.isEmpty
        page.isCut = hasMore && settings.pages.map { request.number >= $0 } ?? false
        if hasMore && !page.isCut {
            page.next = PageRequest(number: request.number + 1)
            held.list = list
        } else {
            held.drop()
        }
        return (page, list.references)
    }

    /// With pages, 389 Directory Server finds nobody below a base that is not there, or that it does not show.
    private func nobody(_ connection: LDAPConnection) throws -> UpstreamError {
        let address = settings.address
        _ = try connection.search(.entry(address.base, ["1.1"])) { _ in }
        let who =
            settings.credentials != nil
            ? "users.bind_dn" : address.scheme == .ldapi ? "the user of this process" : "anonymous users"
        return UpstreamError(
            .ldap,
            """
                        \(address.server): no entry below \(address.base.shown(upTo: 200)) matches the filter of users.url and is \
                        visible to \(who)
            """)
    }

    private func read(_ entry: DirectoryEntry) throws -> EntryReader.Result {
        do {
            // Whether it has a photo finds out who fetches it: the list would bring all photos along.
            return try reader.read(entry) { settings.address.photo(of: entry, $0, version: $1) }
        } catch {
            throw UpstreamError(.decode, "cannot read an entry of \(settings.address.server): \(error)")
        }
    }

    /// With their managers: those in the list by their ids, the others by their names alone.
    private func users(
        of found: [EntryReader.Result], _ list: inout ListProgress, _ connection: LDAPConnection
    ) throws -> [User] {
        var users: [User] = []
        var managed: [(user: Int, manager: DistinguishedName)] = []
        var unknown: [DistinguishedName: String] = [:]
        for case .user(let user, let manager) in found {
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
        return users
    }

    /// Managers are few, so they are asked for by name rather than that all names were kept.
    /// - Parameter found: called with each that is there.
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

    func sample(_ held: inout OpenConnection) throws -> (page: DecodedPage<User>, survey: FormatSurvey) {
        guard let connection = held.connection else {
            throw UpstreamError(.offline, "there is no connection to \(settings.address.server)")
        }
        let page = try page(.first, &held).page
        // Without values, among which may be passwords.
        var search = search(["*"] + reader.attributes + reader.photos)
        search.isOfTypes = true
        search.pageSize = page.records.count + page.leftOut.count
        var entries: [DirectoryEntry] = []
        _ = try connection.search(search) { entries.append($0) }
        return (page, FormatSurvey(settings.format, of: entries))
    }
}

extension LDAPConnection {
    /// Differs where anything below the base has changed: the contextCSN of its suffix (OpenLDAP), or the number of changes
    /// of a domain controller. Nil where the server has neither, or shows it to others alone.
    /// - Parameter root: the root of the server's tree.
    fileprivate func validator(of base: String, _ root: DirectoryEntry?) throws -> String? {
        guard let root else { return nil }
        if let number = root.texts("highestcommittedusn").first,
            let server = root.texts("dsservicename").first
        {
            return "\(server) \(number)"
        }
        let name = DistinguishedName(base)
        guard
            let suffix = root.texts("namingcontexts").first(where: {
                !$0.isEmpty && name.isWithin(DistinguishedName($0), .sub)
            })
        else { return nil }
        let changes = try entry(.entry(suffix, ["contextCSN"]))?.texts("contextcsn") ?? []
        return changes.isEmpty ? nil : changes.sorted().joined(separator: " ")
    }
}
