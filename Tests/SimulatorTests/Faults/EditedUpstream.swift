import Model
import Synchronization

@testable import Upstream

/// An upstream that sends the records of an edition, in pages with validators.
final class EditedUpstream: Sendable {
    private let current = Mutex(1)
    /// Whether users come as what changed since an edition, whose number is the token.
    private let saysChanges: Bool
    private static let pageSize = 10

    init(saysChanges: Bool) { self.saysChanges = saysChanges }

    var edition: Int {
        get { current.withLock { $0 } }
        set { current.withLock { $0 = newValue } }
    }

    /// Names by id. Each edition changes one user in five, leaves out one in seven, and keeps the first page.
    /// Edition 0 has no users.
    static func users(_ edition: Int) -> [String: String] {
        if edition == 0 { return [:] }
        let numbers = (0..<30).filter { $0 < 10 || $0 % 7 != edition % 7 }
        return Dictionary(
            uniqueKeysWithValues: numbers.map { number in
                let changed = number >= 10 && number % 5 == edition % 5 ? edition : 0
                return ("u\(number)", "Nº \(number) of \(changed)")
            })
    }

    static func facts(_ edition: Int) -> [String] {
        edition == 0 ? [] : (edition * 4..<edition * 4 + 8).map { "f\($0)" }
    }

    /// Id of the edition's single fact.
    static func oneFact(_ edition: Int) -> String { "one of \(edition)" }

    var users: UsersService {
        var service = UsersService(fetchPage: { [self] request, known in
            let names = Self.users(edition)
            let ids = names.keys.sorted { (Int($0.dropFirst()) ?? 0) < (Int($1.dropFirst()) ?? 0) }
            return page(request, known, ids, of: .users) { (Self.user($0, names), names[$0] ?? "") }
        })
        guard saysChanges else { return service }
        service.changes = ChangesService(
            fingerprint: "edited", begin: { [self] in "\(edition)" },
            fetchPage: { [self] token, _, _ in Self.changes(since: Int(token) ?? 0, until: edition) })
        return service
    }

    private static func user(_ id: String, _ names: [String: String]) -> User {
        User(id: id, name: User.Name(first: "Ada", last: names[id] ?? ""))
    }

    private static func changes(since old: Int, until new: Int) -> Page<User> {
        let (before, now) = (users(old), users(new))
        var page = Page(records: now.keys.sorted().filter { now[$0] != before[$0] }.map { user($0, now) })
        page.gone = before.keys.sorted().filter { now[$0] == nil }.map { Gone(id: $0, after: 0) }
        page.changeToken = "\(new)"
        return page
    }

    var facts: FactsService {
        FactsService(
            fetchPage: { [self] request, known in
                page(request, known, Self.facts(edition), of: .facts) { (Self.fact($0), $0) }
            },
            fetchOne: { [self] in Self.fact(Self.oneFact(edition)) })
    }

    private static func fact(_ id: String) -> NewFact {
        NewFact(id: id, text: "Cats of \(id).", length: 8)
    }

    private func page<Record: Sendable>(
        _ request: PageRequest, _ known: KnownPage?, _ ids: [String], of resource: Resource,
        _ record: (String) -> (Record, version: String)
    ) -> Page<Record> {
        let start = (request.number - 1) * Self.pageSize
        let records = ids.dropFirst(start).prefix(Self.pageSize).map(record)
        let version = KnownPage(
            key: "\(resource)/\(request.number)",
            validators: Validators(etag: records.map(\.version).joined(separator: ",")))
        if known == version { return .unchanged(version) }
        let hasNext = start + Self.pageSize < ids.count
        return Page(
            records: records.map(\.0), next: hasNext ? PageRequest(number: request.number + 1) : nil,
            total: ids.count, known: version)
    }
}
