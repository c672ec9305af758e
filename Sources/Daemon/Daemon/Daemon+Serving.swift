import Cache
import HTTP
import Logging
import Model
import Sync
import UnixSignals
import Upstream
import UserdAPI
import Varlink
import VarlinkServer

extension Daemon {
    /// What is made anew for each cache that userd opens.
    struct Parts: Sendable {
        let cache: Cache
        let engine: SyncEngine
        let pictures: PictureFetcher
        let server: VarlinkServer
        let credentials: CredentialWatch
        let books: AsyncStream<BookConfiguration>
        let book: AsyncStream<BookConfiguration>.Continuation
    }

    /// Serves until the task is cancelled or the cache is lost.
    func serve(_ opened: OpenCache, on socket: ServedSocket, _ hangups: UnixSignalsSequence) async throws {
        let parts = try await assemble(around: opened.cache)
        let settings = current.loaded.settings
        logger.info("Starting", metadata: ["version": "\(version)", "cache": "\(settings.database)"])
        if let mock = settings.mock {
            logger.warning(
                "A mock replaces the upstreams; nothing is fetched", metadata: ["mock": "\(mock)"])
        }
        try await run(parts, opened.losses, on: socket, hangups)
    }

    private func assemble(around cache: Cache) async throws -> Parts {
        let loaded = try await current.adoptable(current.loaded, cache.reader)
        let settings = loaded.settings
        let upstream = try upstreams(loaded)
        current.adopt(loaded, upstream.signIn)
        let pictures = PictureFetcher(
            service: upstream.pictures, sizes: upstream.pictureSizes, cache: cache.pictures,
            environment: environment, logger: logger)
        let engine = try await SyncEngine(
            plans: upstream.plans(into: cache, now: environment.now, afterCommit: pictures.wake),
            facts: upstream.facts, cache: cache, environment: environment, paused: settings.paused,
            watchQueue: settings.limits.watchQueue, requestedSyncs: settings.limits.requestedSyncs,
            logger: logger)
        let (books, book) = AsyncStream.makeStream(
            of: BookConfiguration.self, bufferingPolicy: .bufferingNewest(1))
        book.yield(BookConfiguration(loaded, logger))
        return Parts(
            cache: cache, engine: engine, pictures: pictures,
            server: try server(engine, pictures, cache.reader),
            credentials: CredentialWatch(engine: engine, logger: logger) { [current] in
                current.asksNobody ? [:] : current.loaded.settings.credentials
            }, books: books, book: book)
    }

    private func upstreams(_ loaded: LoadedSettings) throws -> Upstreams {
        try Upstreams(
            loaded.settings, source, asksNobody: loaded.asksNobody, unsaved: unsaved, redactor: redactor,
            secrets: (secrets, logins), recorder: recording?.recorder, survey: survey,
            now: environment.now, logger: logger)
    }

    private func server(
        _ engine: SyncEngine, _ pictures: PictureFetcher, _ reader: CacheReader
    ) throws -> VarlinkServer {
        let methods = DaemonMethods(
            engine: engine, cache: reader, pictures: pictures, startedAt: environment.now(),
            settings: { [current] in current.reply(engine.notes, engine.changeTrust) },
            survey: { [survey] in survey.shape }, signIn: { [current] in current.signIn },
            asksNobody: { [current] in current.asksNobody })
        let service = try VarlinkService(
            vendor: "userd", product: "userd", version: version, url: homepage ?? "unset",
            interfaces: [try methods.handler()], checksReplies: Self.checksReplies)
        // Most calls are reads.
        return VarlinkServer(
            service: service, limits: Limits(current.loaded.settings.limits, logger),
            whenFull: { $0.method == UserdMethod<NoParameters, DaemonState>.getState.qualifiedName },
            executor: reader.executor, logger: logger)
    }

    /// Gives new settings to all parts.
    func adopt(_ loaded: LoadedSettings, _ parts: Parts) async throws {
        let loaded = try await current.adoptable(loaded, parts.cache.reader)
        let settings = loaded.settings
        let upstream = try upstreams(loaded)
        level.current = settings.logLevel
        parts.server.adopt(Limits(settings.limits, logger))
        parts.cache.writer.setRetention(
            facts: settings.facts.maxCount, transitions: settings.limits.history)
        await parts.engine.adopt(
            upstream.plans(into: parts.cache, now: environment.now, afterCommit: parts.pictures.wake),
            facts: upstream.facts, paused: settings.paused, watchQueue: settings.limits.watchQueue,
            requestedSyncs: settings.limits.requestedSyncs)
        current.adopt(loaded, upstream.signIn)
        parts.book.yield(BookConfiguration(loaded, logger))
        parts.credentials.changed()
        await parts.pictures.adopt(upstream.pictures, sizes: upstream.pictureSizes)
        parts.pictures.wake()
    }

    private func run(
        _ parts: Parts, _ losses: AsyncStream<CacheLoss>, on socket: ServedSocket,
        _ hangups: UnixSignalsSequence
    ) async throws {
        let loaded = current.loaded
        let settings = loaded.settings
        // Each task returns whether userd ends with it.
        try await withThrowingTaskGroup(of: Bool.self) { group in
            func add(ends: Bool = false, _ run: @escaping @Sendable () async throws -> Void) {
                group.addTask {
                    try await run()
                    return ends
                }
            }
            add(ends: true) { try await serveCalls(parts, on: socket) }
            add(ends: true) { try await watchCache(parts.cache.writer, losses) }
            add { await reload(at: hangups, parts) }
            add(parts.credentials.run)
            add { await serveBook(parts) }
            // A stand-in for the upstreams does not depend on the network.
            if !settings.hasStandIn { add { await passOnWakeups(to: parts.engine, logger) } }
            if let recording {
                let signals = await UnixSignalsSequence(trapping: .sigusr1)
                add {
                    // A failure is logged. The end waits for no signals that came before.
                    for await _ in signals where !Task.isCancelled { try? await recording.write() }
                }
            }
            // If the user has set `paused`, only the user asks for syncs.
            if let replay, !settings.paused || loaded.isPausedByRecording {
                let driver = ReplayDriver(
                    replay: replay, engine: parts.engine, settings: settings, logger: logger)
                add(driver.run)
            }
            while try await group.next() == false {}
            group.cancelAll()
            try await group.waitForAll()
        }
    }

    /// Debug builds, which the tests use, check replies against the interface. In releases, that would take
    /// longer than most calls.
    private static var checksReplies: Bool {
        #if DEBUG
            true
        #else
            false
        #endif
    }
}
