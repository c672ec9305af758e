import Cache
import Model
import Reads
import Sync
import Synchronization
import UserdAPI
import Varlink

/// The methods of io.userd, on the sync engine and the cache.
package struct DaemonMethods: Sendable {
    let engine: SyncEngine
    private let cache: CacheReader
    private let pictures: PictureFetcher
    private let reads: ReadMethods
    private let startedAt: Timestamp
    private let survey: @Sendable () -> ListShape?
    private let settings: @Sendable () -> SettingsReply
    /// Nil if there is neither signing in nor out.
    let signIn: @Sendable () -> SignInMethods?
    private let asksNobody: @Sendable () -> Bool
    private let encodedState = Encodings<DaemonState>(1)
    private let encodedTransitions = Encodings<WatchedState>(16)

    /// - Parameters:
    ///   - settings: returns the settings in force.
    ///   - survey: returns the shape of the last list of users.
    ///   - signIn: returns how people sign in by these settings.
    ///   - asksNobody: returns whether userd waits for a directory.
    package init(
        engine: SyncEngine, cache: CacheReader, pictures: PictureFetcher, startedAt: Timestamp,
        settings: @escaping @Sendable () -> SettingsReply = { SettingsReply(settings: []) },
        survey: @escaping @Sendable () -> ListShape? = { nil },
        signIn: @escaping @Sendable () -> SignInMethods? = { nil },
        asksNobody: @escaping @Sendable () -> Bool = { false }
    ) {
        self.engine = engine
        self.cache = cache
        self.pictures = pictures
        reads = ReadMethods(cache)
        self.startedAt = startedAt
        self.settings = settings
        self.survey = survey
        self.signIn = signIn
        self.asksNobody = asksNobody
    }

    package func handler() throws -> InterfaceHandler {
        try InterfaceHandler(description: UserdInterface.description, answerNow: answerNow, handle: answer)
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
            return try await states {
                try await engine.sync(
                    named(sync.resources), acceptsRemovals: sync.acceptRemovals ?? false,
                    wait: sync.wait ?? false)
            }
        case .retry:
            let retry = try decoded(Retry.self, from: parameters)
            try requireDirectory()
            return try await states {
                try await engine.retry(
                    named(retry.resources), patience: retry.now == true ? .insistsOnce : .waits,
                    wait: retry.wait ?? false)
            }
        case .cancel:
            let cancel = try decoded(Cancel.self, from: parameters)
            return try await states { try await engine.cancel(named(cancel.resources)) }
        case .getSettings:
            return try single(settings())
        case .getSurvey:
            return try single(SurveyReply(list: survey()))
        case .setPaused:
            let parameters = try decoded(SetPaused.self, from: parameters)
            if !parameters.paused { try requireDirectory() }
            try await translatingEngineErrors { try await engine.setPaused(parameters.paused) }
            return try single(NoParameters())
        case .signIn:
            return try signIn(try decoded(SignIn.self, from: parameters))
        case .finishSignIn:
            return try single(try await finish(try decoded(FinishSignIn.self, from: parameters)))
        case .signOut:
            return try single(try await signOut(try decoded(SignOut.self, from: parameters)))
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

    private func states(_ states: () async throws -> [State]) async throws -> Answer {
        try single(States(states: try await translatingEngineErrors(states)))
    }

    private func fetchFact() async throws -> FactReply {
        do {
            return try await translatingEngineErrors {
                let fact = try await engine.fetchFact()
                let saved = try await cache.resources()[.facts]
                let state = engine.states.first { $0.resource == .facts }
                guard let saved, let state else { throw UpstreamError(.turnedOff(.facts)) }
                return FactReply(fact: fact, freshness: saved.freshness(of: state, now: engine.now))
            }
        } catch let error as UpstreamError {
            throw UserdError.upstreamFailed(failure: error.failure).wire
        }
    }

    private func watch(_ parameters: Watch) async throws -> Answer {
        let start: SyncEngine.WatchStart =
            parameters.since.map { .after(index: $0, epoch: parameters.epoch) } ?? .now
        return try await translatingWatchErrors {
            _ = try named(parameters.resources)
            let resources = parameters.resources ?? []
            let watcher = try await engine.watch(
                // A resource that is off has no state now, but may be turned on later.
                from: start, resources: Set(resources.isEmpty ? Resource.allCases : resources),
                progress: parameters.progress ?? false)
            return .stream(
                ReplyStream(
                    next: {
                        try await translatingWatchErrors {
                            guard let state = try await watcher.next() else { return nil }
                            return Reply(
                                parameters: try encodedTransitions.encoding(WatchedState(state: state)),
                                continues: true)
                        }
                    }, cancel: { watcher.cancel() }))
        }
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

/// The engine cancels requests when userd ends.
private func translatingEngineErrors<T>(_ body: () async throws -> T) async throws -> T {
    do {
        return try await translatingErrors(body)
    } catch is CancellationError {
        throw UserdError.ending.wire
    }
}
