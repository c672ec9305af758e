import Cache
import Model
import StrictJSON
import Sync
import Synchronization
import Testing
import Upstream

/// A directory that can say what changed: a list, and a log of the changes, with the length of the log as the token.
final class ChangingDirectory: Sendable {
    enum Entry: Hashable, Sendable {
        case user(User, absent: [UserField])
        case gone(String)
    }

    struct Content: Sendable {
        var users: [String: User] = [:]
        var log: [Entry] = []
        var lists = 0
        var reads = 0
        /// Number of log entries on a page of changes.
        var pageSize = 100
        /// Thrown for a token, after so many pages.
        var refusal: UpstreamError?
        var servedPages = 0
        /// Thrown when the first token is asked for.
        var beginning: UpstreamError?
        /// Number of the last entries that are not shown yet.
        var hidden = 0
        var needsList = false
    }

    let content = Mutex(Content())

    init(_ users: Range<Int>) {
        content.withLock { content in
            for number in users { content.users["u\(number)"] = person(number) }
        }
    }

    func set(_ number: Int, last: String? = nil, isNamed: Bool = true) {
        content.withLock { content in
            let user = person(number, last: last)
            content.users[user.id] = user
            if isNamed { content.log.append(.user(user, absent: [])) }
        }
    }

    func remove(_ number: Int, isNamed: Bool = true) {
        content.withLock { content in
            content.users["u\(number)"] = nil
            if isNamed { content.log.append(.gone("u\(number)")) }
        }
    }

    func change(_ body: (inout Content) -> Void) { content.withLock { body(&$0) } }

    /// Numbers of full lists and of readings of the changes since the last call.
    func takeCounts() -> [Int] {
        content.withLock { content in
            defer { (content.lists, content.reads) = (0, 0) }
            return [content.lists, content.reads]
        }
    }

    func service(fingerprint: String = "a", obstacle: String? = nil) -> UsersService {
        var service = UsersService { [self] _, _ in
            content.withLock { content in
                content.lists += 1
                return Page(records: content.users.values.sorted { $0.id < $1.id })
            }
        }
        service.source = "changing"
        service.requiresConsistentPages = true
        service.changes = ChangesService(
            fingerprint: fingerprint, obstacle: obstacle,
            begin: { [self] in
                try content.withLock { content in
                    if let error = content.beginning { throw error }
                    return "\(content.log.count - content.hidden)"
                }
            },
            fetchPage: { [self] token, request, _ in try content.withLock { try $0.page(token, request) } })
        return service
    }
}

extension ChangingDirectory.Content {
    fileprivate mutating func page(_ token: String, _ request: PageRequest) throws -> Page<User> {
        if request.number == 1 { reads += 1 }
        if let refusal, request.number > servedPages { throw refusal }
        let start = request.token.flatMap(Int.init) ?? Int(token) ?? 0
        let shown = log.count - hidden
        let end = min(start + pageSize, shown)
        var page = Page<User>()
        for entry in log[min(start, end)..<end] {
            switch entry {
            case .user(let user, let absent):
                if !absent.isEmpty {
                    page.lacking[page.records.count] = LackingRecord()
                    page.lacking[page.records.count]?.absent = absent
                }
                page.records.append(user)
            case .gone(let id): page.gone.append(Gone(id: id, after: page.records.count))
            }
        }
        if needsList { page.leaveOut(unidentified: "no id") }
        if end < shown {
            page.next = PageRequest(number: request.number + 1, token: "\(end)")
        } else {
            page.changeToken = "\(end)"
        }
        return page
    }
}

func person(_ number: Int, last: String? = nil) -> User {
    User(id: "u\(number)", name: User.Name(first: "Ada", last: last ?? "Lovelace\(number)"))
}

extension Rig {
    @discardableResult
    func sync(isFull: Bool = false) async throws -> State {
        try #require(try await engine.sync([.users], isFull: isFull, isNew: true, wait: true).first)
    }

    var trust: ChangeTrust? {
        get async throws { try await cache.reader.resources()[.users]?.changes?.trust }
    }

    func user(_ number: Int) async throws -> User {
        let record = try await cache.reader.user("u\(number)").record
        return try JSONValue(validating: record, maximumDepth: 8).decode(User.self)
    }

    func lastName(_ number: Int) async throws -> String { try await user(number).name.last }
}
