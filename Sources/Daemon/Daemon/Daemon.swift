import Cache
import FoundationEssentials
import Glibc
import HTTP
import HTTPClient
import Logging
import Model
import Platform
import Reads
import Sync
import UnixSignals
import Upstream
import UserdAPI
import Varlink
import VarlinkServer

/// Puts the parts together: the only place with the real clock, network and disk.
struct Daemon: Sendable {
    private let current: CurrentSettings
    private let loader: SettingsLoader
    private let level: SharedLogLevel
    private let logger: Logger
    private let environment: EngineEnvironment
    private let lock: CacheLock
    private let redactor = SecretRedactor()
    private let secrets: SecretLog
    private let logins: Logins
    private let signIn = CurrentSignIn()
    private let unsaved = UnsavedTokens()
    private let survey = ListSurvey()
    private let clients: HTTPClients
    private let source: Source
    private let replay: Replay?
    private let recording: RecordingFile?
    private let manager: Manager
    private let socket: ServedSocket
    private let bookSocket: BookSocket

    /// The content of the command line, the environment and the files at the start.
    struct Start {
        var loaded: LoadedSettings
        /// Answers instead of the upstreams.
        var recording: Recording?
        /// Reads the settings again.
        var loader: SettingsLoader
        var environment: [String: String]
        var terminal: StartTerminal
    }

    /// Returns when userd ends.
    static func start(_ start: Start) async throws {
        let loaded = start.loaded
        // Keeps temporary files with staged records beside the cache, not in a shared directory. Threads read
        // the environment, so it is set before there are any (setenv(3)).
        setenv("SQLITE_TMPDIR", parent(of: loaded.settings.database), 1)
        // Until services run, a signal ends the process at once; the cache survives that.
        for ending in [SIGTERM, SIGINT] { signal(ending) { _ in _exit(0) } }
        let level = SharedLogLevel(loaded.settings.logLevel)
        let logger = makeLogger(level)
        for warning in loaded.warnings { logger.warning("\(warning)") }
        let manager = await Manager(start.environment, start.terminal, logger)
        do {
            try await Daemon(start, manager: manager, level: level, logger: logger).serve()
        } catch {
            manager.announcements.failed(error)
            await manager.announcements.flush()
            throw error
        }
        await manager.announcements.flush()
        logger.info("Ended")
    }

    private init(_ start: Start, manager: Manager, level: SharedLogLevel, logger: Logger) throws {
        var loaded = start.loaded
        let settings = loaded.settings
        loaded.readAt = Timestamp(Date())
        (current, self.loader, self.manager) = (
            CurrentSettings(loaded, isService: isService(start.environment)), start.loader, manager
        )
        (self.level, self.logger) = (level, logger)
        let started = ContinuousClock.now
        environment = EngineEnvironment(
            now: { Timestamp(Date()) }, monotonic: { ContinuousClock.now - started },
            sleep: { try await Task.sleep(for: $0) }, draw: { .random(in: 0..<1) })
        secrets = SecretLog(beside: settings.database)
        logins = secrets.logins(now: environment.now)
        socket = try ServedSocket(settings, start.environment)
        bookSocket = try BookSocket(start.environment, logger)
        manager.announcements.opensCache()
        lock = try CacheLock(path: settings.database, isNamed: loaded.origins["database"] != .default)
        recording = try settings.record.map {
            [redactor, environment] in
            try RecordingFile(
                $0, settings, redactor, now: environment.now, monotonic: environment.monotonic,
                announcements: manager.announcements, logger: logger)
        }
        if loaded.beginsCacheAnew { try lock.removeCache() }
        if let recording = start.recording, let path = settings.replay { recording.announce(path, logger) }
        replay = start.recording.map { Replay($0, speed: settings.replaySpeed) }
        clients = HTTPClients(recorder: recording?.recorder)
        source =
            settings.mock.map(Source.mock) ?? replay.map(Source.recording) ?? .upstreams(clients)
    }

    private func serve() async throws {
        var failure: (any Error)?
        do { try await serveCaches() } catch { failure = error }
        await unsaved.settleAtEnd()
        // Needed in any case: a client that is released without shutdown traps.
        await clients.shutdown()
        // A failed start keeps the recording of an earlier run.
        if failure == nil || recording?.recorder.isEmpty == false {
            do { try await recording?.write() } catch { failure = failure ?? error }
        }
        replay?.conclude(logger)
        if let failure { throw failure }
        bookSocket.turnAway()
    }

    /// Serves until the end. If the cache is lost meanwhile, userd opens it again or begins a new one, with
    /// all that depends on it, and clients connect again.
    private func serveCaches() async throws {
        let (first, recovery) = try await openCache(
            CacheRecovery(
                lock: lock, now: environment.now, monotonic: environment.monotonic, logger: logger))
        let endings = await UnixSignalsSequence(trapping: .sigterm, .sigint)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { for await _ in endings { return } }
            group.addTask {
                var (opened, recovery, socket, manager) = (first, recovery, socket, manager)
                while true {
                    let next = try socket.forNextServer()
                    let result: Result<Void, any Error>
                    do { result = .success(try await serve(opened, on: socket, manager)) } catch {
                        result = .failure(error)
                    }
                    // The former sequence ended with its reader. This one keeps a signal until the cache is open again.
                    manager.hangups = await UnixSignalsSequence(trapping: .sighup)
                    await opened.cache.close()
                    do { return try result.get() } catch { try recovery.recover(from: error) }
                    (opened, recovery) = try await openCache(recovery)
                    if Task.isCancelled { return await opened.cache.close() }
                    socket = next
                }
            }
            try await group.next()
            group.cancelAll()
            try await group.waitForAll()
        }
    }

    private typealias OpenCache = (cache: Cache, losses: AsyncStream<CacheLoss>)

    private func openCache(_ recovery: CacheRecovery) async throws -> (OpenCache, CacheRecovery) {
        var recovery = recovery
        while true {
            let settings = current.loaded.settings
            let (losses, lost) = AsyncStream.makeStream(
                of: CacheLoss.self, bufferingPolicy: .bufferingOldest(8))
            do {
                let cache = try await Cache.live(
                    path: settings.database, newEpoch: UUID().uuidString.lowercased(),
                    now: environment.now,
                    // Not from the engine's environment: clients' requests must not change the draws for syncs.
                    random: { .random(in: $0) }
                ) {
                    $0.maximumFacts = settings.facts.maxCount
                    $0.maximumHistory = settings.limits.history
                    $0.hidden = settings.pastedTexts
                    $0.lock = { try lock.require() }
                    $0.lost = { lost.yield($0) }
                    $0.migrating = manager.announcements.migrates
                }
                await recovery.restore(into: cache.writer)
                return ((cache, losses), recovery)
            } catch {
                try recovery.recover(from: error)
            }
        }
    }

    private func upstreams(_ loaded: LoadedSettings) throws -> Upstreams {
        try Upstreams(
            loaded.settings, source, asksNobody: loaded.asksNobody, unsaved: unsaved, redactor: redactor,
            secrets: (secrets, logins), recorder: recording?.recorder, survey: survey,
            now: environment.now, logger: logger)
    }

    /// Serves until the task is cancelled or the cache is lost.
    private func serve(
        _ opened: OpenCache, on socket: ServedSocket, _ manager: Manager
    ) async throws {
        let cache = opened.cache
        let loaded = try await current.adoptable(current.loaded, cache.reader)
        current.adopt(loaded)
        let settings = loaded.settings
        let upstream = try upstreams(loaded)
        signIn.adopt(upstream)
        let pictures = PictureFetcher(
            service: upstream.pictures, sizes: upstream.pictureSizes, cache: cache.pictures,
            environment: environment, logger: logger)
        let engine = try await SyncEngine(
            plans: upstream.plans(into: cache, now: environment.now, afterCommit: pictures.wake),
            facts: upstream.facts, cache: cache, environment: environment, paused: settings.paused,
            watchQueue: settings.limits.watchQueue, requestedSyncs: settings.limits.requestedSyncs,
            logger: logger)
        let service = DaemonMethods(
            engine: engine, cache: cache.reader, pictures: pictures, startedAt: environment.now(),
            settings: { [current] in current.reply(engine.notes) },
            survey: { [survey] in survey.shape }, signIn: { [signIn] in signIn.methods },
            asksNobody: { [current] in current.asksNobody })
        let varlink = try VarlinkService(
            vendor: "userd", product: "userd", version: version, url: homepage ?? "unset",
            interfaces: [try service.handler()], checksReplies: Self.checksReplies)
        // Most calls are reads.
        let server = VarlinkServer(
            service: varlink, limits: Limits(settings.limits, logger),
            whenFull: { $0.method == UserdMethod<NoParameters, DaemonState>.getState.qualifiedName },
            executor: cache.reader.executor,
            logger: logger)
        let (books, book) = AsyncStream.makeStream(
            of: BookConfiguration.self, bufferingPolicy: .bufferingNewest(1))
        book.yield(BookConfiguration(loaded, logger))
        let credentials = CredentialWatch(engine: engine, logger: logger) { [current] in
            current.asksNobody ? [:] : current.loaded.settings.credentials
        }
        let reload = Reload(
            signals: manager.hangups, terminal: manager.terminal, loader: loader, settings: current,
            announcements: manager.announcements, logger: logger
        ) { [self] loaded in
            let loaded = try await current.adoptable(loaded, cache.reader)
            let settings = loaded.settings
            let upstream = try upstreams(loaded)
            signIn.adopt(upstream)
            level.current = settings.logLevel
            server.adopt(Limits(settings.limits, logger))
            cache.writer.keep(settings.facts.maxCount, settings.limits.history)
            await engine.adopt(
                upstream.plans(into: cache, now: environment.now, afterCommit: pictures.wake),
                facts: upstream.facts, paused: settings.paused, watchQueue: settings.limits.watchQueue,
                requestedSyncs: settings.limits.requestedSyncs)
            current.adopt(loaded)
            book.yield(BookConfiguration(loaded, logger))
            credentials.changed()
            await pictures.adopt(upstream.pictures, sizes: upstream.pictureSizes)
            pictures.wake()
        }
        logger.info("Starting", metadata: ["version": "\(version)", "cache": "\(settings.database)"])
        if let mock = settings.mock {
            logger.warning(
                "A mock replaces the upstreams; nothing is fetched", metadata: ["mock": "\(mock)"])
        }
        let serving = Serving(
            engine: engine, pictures: pictures,
            // A replay ends with a pause, but its pictures are still fetched.
            arePicturesPaused: { [replay, current] in
                replay == nil ? engine.paused || current.asksNobody : settings.paused
            }, asksNobody: { [current] in current.asksNobody },
            reader: cache.reader, server: server, socket: socket, manager: manager,
            changed: credentials.changed, sleep: environment.sleep, logger: logger)
        let watch = CacheWatch(
            writer: cache.writer, path: settings.database, losses: opened.losses,
            announcements: manager.announcements, sleep: environment.sleep, logger: logger)
        // Each task returns whether userd ends with it.
        try await withThrowingTaskGroup(of: Bool.self) { group in
            func add(ends: Bool = false, _ run: @escaping @Sendable () async throws -> Void) {
                group.addTask {
                    try await run()
                    return ends
                }
            }
            add(ends: true, serving.run)
            add(ends: true, watch.run)
            add(reload.run)
            add(credentials.run)
            add(
                BookServing(
                    changes: books, socket: bookSocket, reads: ReadMethods(cache.reader),
                    digestPictures: cache.pictures.digest, sleep: environment.sleep, logger: logger
                ).run)
            // A stand-in for the upstreams does not depend on the network.
            if !settings.hasStandIn { add { await passOnWakeups(to: engine, logger) } }
            if let recording {
                let signals = await UnixSignalsSequence(trapping: .sigusr1)
                add {
                    // A failure is logged. The end waits for no signals that came before.
                    for await _ in signals where !Task.isCancelled { try? await recording.write() }
                }
            }
            // If the user has set `paused`, only the user asks for syncs.
            if let replay, !settings.paused || loaded.isPausedByRecording {
                add(ReplayDriver(replay: replay, engine: engine, settings: settings, logger: logger).run)
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

    static func makeLogger(_ level: SharedLogLevel) -> Logger {
        Logger(label: "userd", factory: { SharedLevelLogHandler(label: $0, level: level) })
    }
}
