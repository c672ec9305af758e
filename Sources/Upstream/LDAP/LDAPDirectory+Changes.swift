import Model
import Synchronization
import Upstream

/// How far the changes of a directory are read.
struct ChangesProgress {
    var reading: StampToken.Reading
    /// The witness that has to come.
    var awaited: StampToken.Witness?
    /// Number of entries whose ids were read, and of those among them that may have changed.
    var listed = 0
    var differing = 0
    /// Number of entries whose id is not to be seen.
    var unidentified = 0

    /// Beyond a tenth of all, the full list costs less.
    var isTooMuch: Bool { differing > 200 + listed / 10 }
}

/// Changes are read by a search of the entries with new stamps. Whoever is gone has no entry: that is found by the ids of all.
extension LDAPDirectory {
    /// Reads a page of the changes. Throws `ChangesUnknown` if only the list can tell them.
    /// - Parameter stored: the cached stamps of these ids, or digests of ids.
    func changes(
        after text: String, _ request: PageRequest,
        _ stored: @Sendable ([String]) async throws -> [String: String]
    ) async throws -> Page<User> {
        guard let token = StampToken(text) else { throw ChangesUnknown("an earlier version made the token") }
        let found = try await onThread(list) { [self] held, cancellable in
            if request.number == 1 { try begin(&held, cancellable, token) }
            return try nextChanges(request, &held)
        }
        let ids = found.compactMap(reader.id)
        var stamps = try await stored(ids)
        // Left-out entries are known by digests.
        let digests = ids.filter { stamps[$0] == nil }.map { ($0, Digest.leftOut($0)) }
        let leftOut = try await stored(digests.map(\.1))
        for (id, digest) in digests { stamps[id] = leftOut[digest] }
        return try await onThread(list) { [self, stamps, digests = Set(digests.map(\.0))] held, _ in
            try page(request, of: found, stamps, leftOut: digests, &held)
        }
    }

    private func begin(
        _ held: inout OpenConnection, _ cancellable: CancellableSocket, _ token: StampToken
    ) throws {
        held.drop()
        entries.store(0, ordering: .relaxed)
        prefer(token.address)
        let connection = try connect(cancellable)
        var token = token
        let awaited = token.witness
        let stamp = try connection.stamp(of: settings.address.base, as: token)
        let reading = try token.advance(to: stamp, idsInterval: settings.idsInterval, now: now())
        var list = ListProgress(part: try part(connection), pageSize: settings.pageSize)
        list.changes = ChangesProgress(
            reading: reading, awaited: reading == .nothingChanged ? nil : awaited)
        list.token = token
        if reading == .ids { list.readIDs() }
        (held.connection, held.list) = (connection, list)
    }

    /// The next entries: with all that is read of them, or with ids and stamps alone.
    private func nextChanges(_ request: PageRequest, _ held: inout OpenConnection) throws -> [DirectoryEntry]
    {
        let kind = held.list?.token?.kind
        do {
            switch held.list?.changes?.reading {
            case .nothingChanged: return []
            case .entries(let first):
                return try nextEntries(
                    request, &held, attributes(with: kind),
                    filter: "(&\(settings.filter)(\(kind?.rawValue ?? "")>=\(first)))")
            case .ids, nil:
                let ids = reader.ids.prefix(held.list?.token?.idAttributes ?? reader.ids.count)
                return try nextEntries(request, &held, ids + (kind.map { [$0.rawValue] } ?? []))
            }
        } catch let error as ResultError where !error.code.isPassing {
            guard case .entries = held.list?.changes?.reading, held.connection != nil else {
                throw ChangesUnknown("the server does not tell all ids: \(error.code)")
            }
            held.list?.readIDs()
            return try nextChanges(request, &held)
        }
    }

    /// - Parameters:
    ///   - stamps: those that are cached of the entries, by id.
    ///   - leftOut: ids of entries whose users are not cached.
    private func page(
        _ request: PageRequest, of found: [DirectoryEntry], _ stamps: [String: String], leftOut: Set<String>,
        _ held: inout OpenConnection
    ) throws -> Page<User> {
        guard let connection = held.connection, var list = held.list, var changes = list.changes,
            let kind = list.token?.kind
        else {
            throw UpstreamError(
                .offline,
                "the connection to \(settings.address.server) was lost in the middle of the changes")
        }
        var (differing, present) = ([DirectoryEntry](), [String]())
        for entry in found {
            guard let id = reader.id(of: entry) else {
                changes.unidentified += 1
                continue
            }
            let stamp = kind.stamp(of: entry)
            list.token?.note(id, stamp)
            if let awaited = changes.awaited, awaited.id == id, !kind.precedes(stamp, awaited.stamp) {
                changes.awaited = nil
            }
            // Entries that are older than the USN plug-in have no stamp; a time, all have.
            if stamps[id] != settings.cachedStamp(stamp, of: entry)
                || kind == .modifyTimestamp && stamp.isEmpty
            {
                differing.append(entry)
            } else if !leftOut.contains(id) {
                present.append(id)
            }
        }
        let isOfIDs = changes.reading == .ids
        if isOfIDs {
            changes.listed += found.count
            changes.differing += differing.count
            if request.number == 1, found.isEmpty { throw ChangesUnknown("nobody is to be seen") }
            if changes.isTooMuch { throw ChangesUnknown("more than a tenth of the directory changed") }
            let read = try self.entries(differing, kind, connection)
            // Whoever has moved in this moment is found by the next sync.
            present += zip(differing, read).filter { $0.1 == nil }.compactMap { reader.id(of: $0.0) }
            differing = read.compactMap(\.self)
        }
        var page = try page(of: differing, &list, connection)
        // The list counts them; here, a record without an id says nothing of others.
        page.unread = UnreadRecords()
        page.present = present
        list.changes = changes
        if !list.cookie.isEmpty {
            page.next = PageRequest(number: request.number + 1)
        } else if changes.awaited != nil {
            list.readIDs()
            page.next = PageRequest(number: request.number + 1)
        } else {
            if isOfIDs, settings.seeksPeople, !list.hasPeople {
                throw ChangesUnknown("no person is to be seen")
            }
            if isOfIDs { list.token?.noteIDs(now: now(), interval: settings.idsInterval) }
            // Somebody whose id is hidden has not gone: the list decides.
            (page.namesAll, page.changeToken) = (isOfIDs && changes.unidentified == 0, list.token?.text)
        }
        held.list = list
        if page.next == nil { held.drop() }
        return page
    }

    /// These entries, with all that is read of them; nil for one that is no longer there.
    private func entries(
        _ found: [DirectoryEntry], _ kind: StampKind, _ connection: LDAPConnection
    ) throws -> [DirectoryEntry?] {
        let attributes = attributes(with: kind)
        var (rest, read) = (found[...], [DirectoryEntry?]())
        while !rest.isEmpty {
            read += try connection.entries(
                rest.prefix(100).map {
                    var search = Search.entry($0.dn, attributes)
                    search.filter = settings.filter
                    return search
                })
            rest = rest.dropFirst(100)
        }
        return read
    }
}

extension ListProgress {
    /// Reads all ids next.
    fileprivate mutating func readIDs() {
        cookie = []
        hasPeople = false
        token?.forgetWitness()
        changes?.awaited = nil
        changes?.reading = .ids
        changes?.unidentified = 0
    }
}
