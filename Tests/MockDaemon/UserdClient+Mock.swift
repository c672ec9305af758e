import FoundationEssentials
import Model
import UserdAPI
import Varlink

extension UserdClient {
    /// A userd with sample data, without socket, file and upstream. Calls change it like a real one. Nothing
    /// happens by itself: a sync without a waiting client runs until a client waits for it, or it is
    /// cancelled.
    ///
    /// - Parameters:
    ///   - users: upstream's users.
    ///   - facts: upstream's texts.
    ///   - isSynced: whether each resource has been synced before.
    ///   - failure: called when a sync ends and when a fact is fetched; returns its failure, or nil.
    package static func mock(
        users: [User] = User.samples, facts: [String] = Fact.sampleTexts, isSynced: Bool = true,
        failure: @escaping @Sendable () -> Failure? = { nil },
        now: @escaping @Sendable () -> Timestamp = { Timestamp(Date()) }
    ) -> UserdClient {
        let daemon = MockDaemon(users: users, facts: facts, failure: failure, now: now)
        if isSynced { daemon.succeedAtFirst() }
        var client = UserdClient.unimplemented()
        client.listUsers = { try RawReply(daemon.users($0), to: .listUsers) }
        client.listAllUsers = { query in
            .pages(to: .listUsers, from: query.cursor, next: { $0.next }) { cursor in
                var query = query
                query.cursor = cursor
                return try daemon.users(query)
            }
        }
        client.getUser = { try RawReply(daemon.user($0.key, $0.kinds), to: .getUser) }
        client.listManagers = { try RawReply(daemon.managers($0), to: .listManagers) }
        client.listReports = { try RawReply(daemon.reports($0), to: .listReports) }
        client.getPicture = { try RawReply(daemon.picture($0), to: .getPicture) }
        client.getPictureSoon = { try RawReply(daemon.picture($0), to: .getPicture) }
        client.listFacts = { try RawReply(daemon.facts($0), to: .listFacts) }
        client.listAllFacts = { query in
            .pages(to: .listFacts, from: query.cursor, next: { $0.next }) { cursor in
                var query = query
                query.cursor = cursor
                return try daemon.facts(query)
            }
        }
        client.randomFact = { try RawReply(daemon.anyFact($0), to: .randomFact) }
        client.fetchFact = { try RawReply(daemon.fetchFact(), to: .fetchFact) }
        client.getState = { try RawReply(daemon.state, to: .getState) }
        client.watch = { parameters in
            let watcher = try daemon.watch(parameters)
            return RawReplies(
                { body, whenIdle in
                    while true {
                        guard let state = try watcher.next(atMost: whenIdle?()) else { continue }
                        let reply = try RawReply(WatchedState(state: state), to: .watch)
                        guard try body(reply) == .proceed else { return }
                    }
                }, interrupt: watcher.interrupt)
        }
        client.history = { try RawReply(daemon.history($0), to: .history) }
        client.sync = { sync in
            let states = daemon.sync(named(sync.resources), cause: .requested, wait: sync.wait ?? false)
            return try RawReply(States(states: states), to: .sync)
        }
        client.retry = { retry in
            let states = daemon.retry(named(retry.resources), wait: retry.wait ?? false)
            return try RawReply(States(states: states), to: .retry)
        }
        client.cancel = { cancel in
            try RawReply(States(states: daemon.cancel(named(cancel.resources))), to: .cancel)
        }
        client.getSurvey = { try RawReply(SurveyReply(list: nil), to: .getSurvey) }
        client.getSettings = { try RawReply(SettingsReply(settings: []), to: .getSettings) }
        client.setPaused = { parameters in
            daemon.setPaused(parameters.paused)
            return try RawReply(NoParameters(), to: .setPaused)
        }
        return client
    }
}

extension RawReplies {
    /// The replies of a userd that is never idle.
    package init(
        forEach: @escaping @Sendable (Body) throws -> Void, interrupt: @escaping @Sendable () -> Void = {}
    ) {
        self.init({ body, _ in try forEach(body) }, interrupt: interrupt)
    }

    fileprivate static func pages<Query>(
        to method: UserdMethod<Query, Output>, from cursor: String?,
        next: @escaping @Sendable (Output) -> String?,
        _ page: @escaping @Sendable (_ cursor: String?) throws -> Output
    ) -> Self {
        RawReplies(forEach: { body in
            var cursor = cursor
            repeat {
                let page = try page(cursor)
                cursor = next(page)
                guard try body(RawReply(page, to: method)) == .proceed else { return }
            } while cursor != nil
        })
    }
}

/// No names means all resources.
private func named(_ resources: [Resource]?) -> [Resource] {
    guard let resources, !resources.isEmpty else { return Resource.allCases }
    return Resource.allCases.filter(resources.contains)
}
