import Cache
import Model
import Reads
import Sync
import Synchronization
import Upstream
import UserdAPI
import Varlink

/// The methods of io.userd, on the sync engine and the cache.
struct DaemonMethods: Sendable {
    let engine: SyncEngine
    let cache: CacheReader
    let pictures: PictureFetcher
    let startedAt: Timestamp
    /// Returns the settings in force.
    var settings: @Sendable () -> SettingsReply = { SettingsReply(settings: []) }
    /// Returns the shape of the last list of users.
    var survey: @Sendable () -> ListShape? = { nil }
    /// Nil if there is neither signing in nor out.
    var signIn: @Sendable () -> SignInService? = { nil }
    /// Whether userd waits for a directory.
    var asksNobody: @Sendable () -> Bool = { false }
    private let encodedState = Encodings<DaemonState>(1)
    private let encodedTransitions = Encodings<WatchedState>(16)

    private var reads: ReadMethods { ReadMethods(cache) }

    func handler() throws -> InterfaceHandler {
        try InterfaceHandler(description: UserdInterface.description, answerNow: answerNow) { call in
            try await translated { try await answer(call) }
        }
    }

    /// Only the state is in memory. A read of the cache may wait for a disk.
    @Sendable private func answerNow(_ call: MethodCall) throws -> [UInt8]? {
        guard case .getState = call.methodName else { return nil }
        let asksNobody = asksNobody()
        return try encodedState.encoding(
            DaemonState(
                states: engine.states, paused: engine.paused || asksNobody, version: version,
                startedAt: startedAt,
                account: signIn().flatMap { $0.canSignIn ? $0.account() : nil },
                pauseCause: asksNobody ? DaemonState.noDirectory : nil))
    }

    private func answer(_ call: MethodCall) async throws -> Answer {
        let parameters = call.parameters
        switch call.methodName {
        case .listUsers where call.more:
            let query = try decoded(ListUsers.self, from: parameters)
            return pages(from: query.cursor) { try await reads.users(query.from($0)) }
        case .listFacts where call.more:
            let query = try decoded(ListFacts.self, from: parameters)
            return pages(from: query.cursor) { try await reads.facts(query.from($0)) }
        case .getPicture:
            let found = try await reads.found(try decoded(GetPicture.self, from: parameters))
            let isThere = found.picture != nil && !found.isOutdated
            let picture = isThere ? found.picture : await pictures.fetch(found)
            return try single(PictureReply(picture))
        case .fetchFact:
            try requireDirectory()
            _ = try named([.facts])
            return try await single(fetchFact())
        case .watch:
            return try await watch(try decoded(Watch.self, from: parameters))
        case .sync:
            let sync = try decoded(Sync.self, from: parameters)
            try requireDirectory()
            return try await states(
                engine.sync(
                    named(sync.resources), acceptsRemovals: sync.acceptRemovals ?? false,
                    isFull: sync.full ?? false,
                    wait: sync.wait ?? false))
        case .retry:
            let retry = try decoded(Retry.self, from: parameters)
            try requireDirectory()
            return try await states(
                engine.retry(
                    named(retry.resources), patience: retry.now == true ? .insistsOnce : .waits,
                    wait: retry.wait ?? false))
        case .cancel:
            let cancel = try decoded(Cancel.self, from: parameters)
            return try await states(engine.cancel(named(cancel.resources)))
        case .getSettings:
            return try single(settings())
        case .getSurvey:
            return try single(SurveyReply(list: survey()))
        case .setPaused:
            let parameters = try decoded(SetPaused.self, from: parameters)
            if !parameters.paused { try requireDirectory() }
            try await engine.setPaused(parameters.paused)
            return try single(NoParameters())
        case .signIn:
            return try signIn(try decoded(SignIn.self, from: parameters))
        case .finishSignIn:
            return try single(try await finish(try decoded(FinishSignIn.self, from: parameters)))
        case .signOut:
            return try single(try await signOut(try decoded(UserdAPI.SignOut.self, from: parameters)))
        default:
            guard let reply = try await reads.answer(call.methodName, parameters) else {
                throw VarlinkError.methodNotImplemented(call.method)
            }
            return .single(reply)
        }
    }

    private func requireDirectory() throws {
        if asksNobody() { throw UserdError.upstreamFailed(failure: .notConnected).wire }
    }

    private func single(_ output: some Encodable) throws -> Answer { .single(try encoded(output)) }

    private func states(_ states: [State]) throws -> Answer { try single(States(states: states)) }

    private func fetchFact() async throws -> FactReply {
        let fact = try await engine.fetchFact()
        let saved = try await cache.resources()[.facts]
        let state = engine.states.first { $0.resource == .facts }
        guard let saved, let state else { throw UpstreamError(.turnedOff(.facts)) }
        return FactReply(fact: fact, freshness: saved.freshness(of: state, now: engine.now))
    }

    private func watch(_ parameters: Watch) async throws -> Answer {
        let start: SyncEngine.WatchStart =
            parameters.since.map { .after(index: $0, epoch: parameters.epoch) } ?? .now
        _ = try named(parameters.resources)
        let resources = parameters.resources ?? []
        let watcher = try await engine.watch(
            // A resource that is off has no state now, but may be turned on later.
            from: start, resources: Set(resources.isEmpty ? Resource.allCases : resources),
            progress: parameters.progress ?? false)
        return .stream(
            ReplyStream(
                next: {
                    try await translated {
                        guard let state = try await watcher.next() else { return nil }
                        return Reply(
                            parameters: try encodedTransitions.encoding(WatchedState(state: state)),
                            continues: true)
                    }
                }, cancel: { watcher.cancel() }))
    }

    /// No names means all resources that are on. Throws `VarlinkError` if a named one is off.
    private func named(_ resources: [Resource]?) throws -> [Resource] {
        let on = engine.states.map(\.resource)
        guard let resources, !resources.isEmpty else { return on }
        if let off = resources.first(where: { !on.contains($0) }) {
            throw UserdError.upstreamFailed(failure: .turnedOff(off)).wire
        }
        return on.filter(resources.contains)
    }

    /// Answers a call with `more`: all pages follow.
    private func pages(
        from cursor: String?, _ page: @escaping @Sendable (_ cursor: String?) async throws -> ListReply
    ) -> Answer {
        let next = Mutex(cursor)
        return .stream(
            ReplyStream(next: {
                let page = try await page(next.withLock { $0 })
                next.withLock { $0 = page.next }
                return Reply(parameters: page.reply, continues: page.next != nil)
            }))
    }
}
