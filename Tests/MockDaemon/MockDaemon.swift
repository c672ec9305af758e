import Model
import Synchronization
import UserdAPI

/// The state behind `UserdClient.mock`.
final class MockDaemon: Sendable {
    struct Contents: Sendable {
        var users: [User] = []
        var facts: [Fact] = []
        var states: [Resource: State]
        /// States before a running sync.
        var before: [Resource: State] = [:]
        var history: [State] = []
        var isPaused = false
        var fetched = 0
        fileprivate var watchers: [MockWatcher] = []
    }

    let contents: Mutex<Contents>
    let now: @Sendable () -> Timestamp
    private let upstreamUsers: [User]
    private let upstreamFacts: [Fact]
    private let failure: @Sendable () -> Failure?
    private let startedAt: Timestamp

    private static let epoch = "mock"
    private static let interval = Duration.seconds(900)

    init(
        users: [User], facts: [String], failure: @escaping @Sendable () -> Failure?,
        now: @escaping @Sendable () -> Timestamp
    ) {
        let startedAt = now()
        upstreamUsers = users
        upstreamFacts = facts.enumerated().map { number, text in
            Fact(id: "sample-\(number)", text: text, length: text.count, firstSeenAt: startedAt)
        }
        (self.failure, self.now, self.startedAt) = (failure, now, startedAt)
        let states = Resource.allCases.map { resource in
            State(
                epoch: Self.epoch, index: 0, resource: resource, phase: .initial, since: startedAt,
                cause: .created, count: 0, stale: true)
        }
        contents = Mutex(Contents(states: Dictionary(uniqueKeysWithValues: states.map { ($0.resource, $0) })))
    }

    /// Like the first sync, but never fails.
    func succeedAtFirst() {
        contents.withLock { contents in
            for resource in Resource.allCases {
                begin(resource, .due, &contents)
                end(resource, failure: nil, &contents)
            }
        }
    }

    var state: DaemonState {
        contents.withLock {
            DaemonState(
                states: $0.states(of: Resource.allCases), paused: $0.isPaused, version: version,
                startedAt: startedAt)
        }
    }

    func setPaused(_ paused: Bool) {
        contents.withLock { contents in
            contents.isPaused = paused
            for resource in Resource.allCases where contents.before[resource] == nil {
                contents.states[resource]?.nextSyncAt = next(paused: paused)
            }
        }
    }

    func sync(_ resources: [Resource], cause: Cause, wait: Bool) -> [State] {
        contents.withLock { contents in
            for resource in resources { begin(resource, cause, &contents) }
            if wait { for resource in resources { end(resource, failure: failure(), &contents) } }
            return contents.states(of: resources)
        }
    }

    func retry(_ resources: [Resource], wait: Bool) -> [State] {
        let failed = contents.withLock { contents in
            resources.filter { (contents.before[$0] ?? contents.states[$0])?.phase == .error }
        }
        _ = sync(failed, cause: .retried, wait: wait)
        return contents.withLock { $0.states(of: resources) }
    }

    func cancel(_ resources: [Resource]) -> [State] {
        contents.withLock { contents in
            for resource in resources {
                guard var state = contents.before.removeValue(forKey: resource) else { continue }
                state.nextSyncAt = next(paused: contents.isPaused)
                let failure = Failure(
                    kind: .cancelled, message: "the sync was stopped on request", retryable: true,
                    attempts: (state.failure?.attempts ?? 0) + 1)
                record(state, .cancelled, because: failure, &contents)
            }
            return contents.states(of: resources)
        }
    }

    func fetchFact() throws -> FactReply {
        if let failure = failure() { throw UserdError.upstreamFailed(failure: failure) }
        return contents.withLock { contents in
            contents.fetched += 1
            let text = "This is fetched fact number \(contents.fetched)."
            let fact = Fact(
                id: "fetched-\(contents.fetched)", text: text, length: text.count, firstSeenAt: now())
            contents.facts.append(fact)
            contents.states[.facts]?.count = contents.facts.count
            return FactReply(fact: fact, freshness: freshness(of: .facts, contents))
        }
    }

    func watch(_ parameters: Watch) throws -> MockWatcher {
        try contents.withLock { contents in
            let watcher = MockWatcher(parameters)
            if let since = parameters.since {
                let newest = contents.history.last?.index ?? 0
                guard 0...newest ~= since, [nil, Self.epoch].contains(parameters.epoch) else {
                    throw UserdError.sequenceGone(epoch: Self.epoch, oldest: min(1, newest), newest: newest)
                }
                contents.history.filter { $0.index > since }.forEach(watcher.tell)
            } else {
                contents.states(of: Resource.allCases).forEach(watcher.tell)
            }
            contents.watchers.append(watcher)
            return watcher
        }
    }

    func freshness(of resource: Resource, _ contents: Contents) -> Freshness {
        let state = contents.states[resource]
        let age = state?.syncedAt.map { (now() - $0).inSeconds }
        return Freshness(
            phase: state?.phase ?? .initial, syncedAt: state?.syncedAt, age: age,
            stale: state?.stale ?? true, failure: state?.failure)
    }

    // MARK: Transitions

    private func begin(_ resource: Resource, _ cause: Cause, _ contents: inout Contents) {
        guard var state = contents.states[resource], contents.before[resource] == nil else { return }
        contents.before[resource] = state
        (state.phase, state.failure, state.nextSyncAt) = (.syncing, nil, nil)
        record(state, cause, &contents)
    }

    private func end(_ resource: Resource, failure: Failure?, _ contents: inout Contents) {
        guard var state = contents.states[resource],
            let before = contents.before.removeValue(forKey: resource)
        else { return }
        state.nextSyncAt = next(paused: contents.isPaused)
        if var failure {
            failure.attempts = (before.failure?.attempts ?? 0) + 1
            (state.phase, state.failure) = (.error, failure)
            return record(state, .failed, because: failure, &contents)
        }
        let changes: Changes
        switch resource {
        case .users: changes = contents.mirror(upstreamUsers)
        case .facts: changes = contents.accumulate(upstreamFacts)
        }
        state.count = resource == .users ? contents.users.count : contents.facts.count
        state.progress = Progress(done: state.count, total: state.count)
        for watcher in contents.watchers { watcher.tell(state) }
        (state.phase, state.progress) = (state.count > 0 ? .loaded : .empty, nil)
        (state.syncedAt, state.stale) = (now(), false)
        record(state, .committed(changes), &contents)
    }

    private func record(
        _ state: State, _ cause: Cause, because failure: Failure? = nil, _ contents: inout Contents
    ) {
        var state = state
        (state.index, state.since, state.cause) = ((contents.history.last?.index ?? 0) + 1, now(), cause)
        contents.states[state.resource] = state
        state.failure = failure
        contents.history.append(state)
        for watcher in contents.watchers { watcher.tell(state) }
    }

    private func next(paused: Bool) -> Timestamp? { paused ? nil : now() + Self.interval }
}

extension MockDaemon.Contents {
    func states(of resources: [Resource]) -> [State] { resources.compactMap { states[$0] } }

    fileprivate mutating func mirror(_ upstream: [User]) -> Changes {
        let changes = Changes(added: upstream.count(where: { !users.contains($0) }))
        users = upstream
        return changes
    }

    fileprivate mutating func accumulate(_ upstream: [Fact]) -> Changes {
        let new = upstream.filter { !facts.contains($0) }
        facts += new
        return Changes(added: new.count)
    }
}
