import Model
import TerminalViews
import UserdAPI
import Varlink

/// The browser's client of userd: carries out its requests and posts the answers and states as events. It may block.
struct BrowseClient: Sendable {
    enum Request: Sendable {
        case fetch(Fetch)
        case sync
        case details(of: User)
    }

    let connect: @Sendable () -> UserdOrCache
    let console: Console
    var details: @Sendable (UserdOrCache, User) async -> CardDetails = { _, _ in CardDetails() }
    let post: @Sendable (Browser.Event) -> Void

    private static let reconnectDelay = Duration.milliseconds(500)

    /// Carries out the requests, one after the other.
    func answer(_ requests: AsyncStream<Request>) async {
        var connection = connect()
        for await request in requests {
            switch request {
            case .fetch(let fetch):
                // A new list tries userd again.
                if fetch.query.cursor == nil, connection.source != .daemon { connection = connect() }
                await post(self.fetch(fetch, from: connection))
                if let words = await others(than: fetch, connection) { post(.others(words, of: fetch)) }
            case .details(let user):
                await post(.details(of: user.id, details(connection, user)))
            case .sync:
                do {
                    let userd = try connect().userd()
                    _ = try await requested { try userd.sync(Sync(resources: [.users])) }
                } catch {
                    post(.refused(readable(error)))
                }
            }
        }
    }

    private func fetch(_ fetch: Fetch, from connection: UserdOrCache) async -> Browser.Event {
        do {
            if case .managers(let user) = fetch.subject {
                let chain = try await managers(of: user, connection)
                return .page(chain.page, of: fetch, from: connection.source, whyEmpty: chain.whyEmpty)
            }
            let users = try await connection.page(fetch.query).decoded()
            if users.total == 0, fetch.query.search != nil,
                let near = try? await connection.near(fetch.query), near.total > 0
            {
                return .page(near, of: fetch, from: connection.source, isNear: true)
            }
            return .page(users, of: fetch, from: connection.source)
        } catch {
            return .failed(fetch, readable(error), isOutdated: error.isInvalidCursor)
        }
    }

    /// Nil unless it is the first page of a search for persons.
    private func others(than fetch: Fetch, _ connection: UserdOrCache) async -> String? {
        guard case .search(_?, let kinds) = fetch.subject, kinds == nil, fetch.page == 0, fetch.end == .front
        else { return nil }
        return await connection.others(than: fetch.query)
    }

    private func managers(of user: User, _ connection: UserdOrCache) async throws -> ManagerChain {
        do {
            let query = ListManagers(key: user.id)
            return try await connection.read(.listManagers, \.listManagers, query).decoded()
        } catch {
            if error.isUnknownMethod {
                throw CommandError(
                    "this userd is of an earlier version, which does not list managers; restart it",
                    .unavailable)
            }
            if case .notFound = UserdError(any: error) {
                throw CommandError("\(user.shownName) is no longer among the users", .failed)
            }
            throw error
        }
    }

    private func readable(_ error: any Error) -> CommandError {
        CommandError(error) ?? CommandError("can't ask userd: \(error)", .unavailable)
    }

    /// Posts each state of the users, and whether userd is connected, until the task is cancelled.
    func watch() async {
        let liveness = Liveness(
            connect: { try connect().userd() }, now: console.clock.now, interval: .seconds(15)
        ) {
            post($0 == .answers ? .connected : .lost)
        }
        while !Task.isCancelled {
            do {
                let userd = try connect().userd().tellingConnection(post)
                let watching = WatchSubscription(
                    watch: userd.watch, sleep: console.sleep, say: { _ in }, liveness: liveness)
                try await watching.run(Watch(resources: [.users], progress: true)) { state, _ in
                    post(.state(state))
                }
            } catch {
                post(.lost)
            }
            do { try await console.sleep(Self.reconnectDelay) } catch { return }
        }
    }
}

extension UserdClient {
    /// The same client, except that it posts when a watch connects and when it ends.
    fileprivate func tellingConnection(_ post: @escaping @Sendable (Browser.Event) -> Void) -> UserdClient {
        var client = self
        client.watch = { [watch] parameters in
            let replies = try watch(parameters)
            post(.connected)
            return RawReplies(
                { body, whenIdle in
                    defer { post(.lost) }
                    try replies.forEach(body, whenIdle: whenIdle)
                }, interrupt: replies.interrupt)
        }
        return client
    }
}

extension ManagerChain {
    var page: UserList {
        UserList(users: managers, total: managers.count, next: nil, freshness: freshness)
    }

    /// Says why there are no managers, if there are none.
    var whyEmpty: String {
        guard named else { return "upstream sent no managers" }
        guard end == .absent else { return "\(user.shownName) has no manager" }
        let manager = (user.manager?.shownName).map { " \($0)" } ?? ""
        return "\(user.shownName)'s manager\(manager) is not among the users"
    }
}

extension Error {
    fileprivate var isUnknownMethod: Bool {
        guard let error = self as? VarlinkError else { return false }
        let unknown = [VarlinkError.methodNotFound(""), .methodNotImplemented("")]
        return unknown.contains { $0.name == error.name }
    }

    fileprivate var isInvalidCursor: Bool {
        if case .invalidCursor = UserdError(any: self) { true } else { false }
    }
}
