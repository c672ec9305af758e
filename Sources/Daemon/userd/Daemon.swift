import BaseDirectories
import Cache
import DaemonMethods
import FoundationEssentials
import Glibc
import HAR
import HTTPClient
import Logging
import Model
import ServiceLifecycle
import Services
import Settings
import SyncEngine
import TextFolding
import Threads
import UnixSignals
import UserdAPI
import Varlink
import VarlinkServer

/// Puts the parts together: the only place with the real clock, network and disk.
enum Daemon {
    /// - Parameter replayed: answers in place of the upstreams.
    static func run(
        _ loaded: LoadedSettings, _ replayed: Recording?, loader: SettingsLoader,
        environment: [String: String], terminal: StartTerminal
    ) async throws {
        // Staged records are in temporary files, which belong beside the cache, not in a shared directory. Before there are
        // threads, which read the environment: setenv(3).
        setenv("SQLITE_TMPDIR", parent(of: loaded.settings.database), 1)
        // Until services run, a signal ends the process at once; the cache survives that.
        for ending in [SIGTERM, SIGINT] { signal(ending) { _ in _exit(0) } }
        let level = SharedLogLevel(loaded.settings.logLevel)
        let logger = makeLogger(level)
        for warning in loaded.warnings { logger.warning("\(warning)") }
        let manager = await Manager(environment, terminal, logger)
        do {
            try await run(loaded, replayed, loader, environment, manager, level, logger)
        } catch {
            manager.announcements.failed(error)
            await manager.announcements.flush()
            throw error
        }
        await manager.announcements.flush()
        logger.info("Ended")
    }

    private static func run(
        _ loaded: LoadedSettings, _ replayed: Recording?, _ loader: SettingsLoader,
        _ environment: [String: String], _ manager: Manager, _ level: SharedLogLevel, _ logger: Logger
    ) async throws {
        let settings = loaded.settings
        let replay = replayed.map { Replay($0, speed: settings.replaySpeed) }
        let started = ContinuousClock.now
        let engineEnvironment = EngineEnvironment(
            now: { Timestamp(Date()) }, monotonic: { ContinuousClock.now - started },
            sleep: { try await Threads.sleep(for: $0) }, draw: { .random(in: 0..<1) })
        let socket = try ServedSocket(settings, environment)
        manager.announcements.opensCache()
        let lock = try CacheLock(path: settings.database)
        defer { withExtendedLifetime(lock) {} }
        let token = OwnToken()
        let recording = try settings.record.map {
            try RecordingFile(
                $0, settings, token, now: engineEnvironment.now, monotonic: engineEnvironment.monotonic,
                announcements: manager.announcements, logger: logger)
        }
        if loaded.beginsCacheAnew { try lock.removeCache() }

        if let replayed, let path = settings.replay { replayed.announce(path, logger) }
        let clients = HTTPClients(recorder: recording?.recorder)
        let source =
            settings.mock.map { .mock(MockBehavior($0)) } ?? replay.map(Source.recording)
            ?? Source.upstreams(clients)
        var failure: (any Error)?
        do {
            try await serve(
                socket, SettingsInForce(loaded), loader, lock, source, replay, recording, token,
                engineEnvironment, manager, level, logger)
        } catch {
            failure = error
        }
        // Always: a client that is released without shutdown traps.
        await clients.shutdown()
        // A failed start keeps the recording of an earlier run.
        if failure == nil || recording?.recorder.isEmpty == false {
            do { try await recording?.write() } catch { failure = failure ?? error }
        }
        replay?.conclude(logger)
        if let failure { throw failure }
    }

    /// Serves until the end. A cache that is lost meanwhile is begun anew, or opened again, as at a start: all that
    /// depends on it is made anew, and clients connect again.
    private static func serve(
        _ socket: ServedSocket, _ inForce: SettingsInForce, _ loader: SettingsLoader, _ lock: CacheLock,
        _ source: Source, _ replay: Replay?, _ recording: RecordingFile?, _ token: OwnToken,
        _ engineEnvironment: EngineEnvironment, _ manager: Manager, _ level: SharedLogLevel, _ logger: Logger
    ) async throws {
        var (socket, manager, endings) = (socket, manager, Endings?.none)
        var recovery = CacheRecovery(
            lock: lock, now: engineEnvironment.now, monotonic: engineEnvironment.monotonic, logger: logger)
        while true {
            let next = try socket.forNextServer()
            do {
                let settings = inForce.loaded.settings
                let (losses, lost) = AsyncStream.makeStream(
                    of: CacheLoss.self, bufferingPolicy: .bufferingOldest(8))
                let cache = try await Cache.live(
                    path: settings.database, newEpoch: UUID().uuidString.lowercased(),
                    maximumFacts: settings.facts.maxCount, maximumHistory: settings.limits.history,
                    now: engineEnvironment.now,
                    // Not from the engine's environment: clients' requests must not change the draws for syncs.
                    random: { .random(in: $0) }, folded: folded, lock: { try lock.require() },
                    lost: { lost.yield($0) }, migrating: manager.announcements.migrates)
                let signals = if let endings { endings } else { await Endings() }
                endings = signals
                let result: Result<Void, any Error>
                do {
                    result = .success(
                        try await serve(
                            socket, inForce, loader, cache, losses, signals, source, replay, recording, token,
                            engineEnvironment, manager, level, logger))
                } catch {
                    result = .failure(error)
                }
                await cache.close()
                return try result.get()
            } catch {
                try recovery.recover(from: error)
            }
            if endings?.isCaught == true { return }
            socket = next
            // The former sequence ended with its reader.
            manager.hangups = await UnixSignalsSequence(trapping: .sighup)
        }
    }

    private static func serve(
        _ socket: ServedSocket, _ inForce: SettingsInForce, _ loader: SettingsLoader, _ cache: Cache,
        _ losses: AsyncStream<CacheLoss>, _ endings: Endings, _ source: Source, _ replay: Replay?,
        _ recording: RecordingFile?, _ token: OwnToken, _ engineEnvironment: EngineEnvironment,
        _ manager: Manager, _ level: SharedLogLevel, _ logger: Logger
    ) async throws {
        let loaded = inForce.loaded
        let settings = loaded.settings
        let upstream = try Upstreams(
            settings, source, token: token, recorder: recording?.recorder, now: engineEnvironment.now,
            logger: logger)
        let pictures = PictureFetcher(
            service: upstream.pictures, sizes: upstream.pictureSizes, cache: cache.pictures,
            environment: engineEnvironment, logger: logger)
        let engine = try await SyncEngine(
            plans: upstream.plans(into: cache, now: engineEnvironment.now, landed: pictures.wake),
            facts: upstream.facts, cache: cache, environment: engineEnvironment, paused: settings.paused,
            watchQueue: settings.limits.watchQueue, logger: logger)
        let service = DaemonMethods(
            engine: engine, cache: cache.reader, pictures: pictures, startedAt: engineEnvironment.now(),
            settings: { inForce.list })
        let varlink = try VarlinkService(
            vendor: "userd", product: "userd", version: version, url: homepage ?? "unset",
            interfaces: [try service.handler()], checksReplies: checksReplies)
        // Most calls are reads.
        let server = VarlinkServer(
            service: varlink, limits: Limits(settings.limits, logger),
            whenFull: { $0.method == UserdMethod.getState.qualifiedName }, executor: cache.reader.executor,
            logger: logger)

        let reload = Reload(
            signals: manager.hangups, terminal: manager.terminal, loader: loader, settings: inForce,
            announcements: manager.announcements,
            logger: logger
        ) { loaded in
            let settings = loaded.settings
            let upstream = try Upstreams(
                settings, source, token: token, recorder: recording?.recorder, now: engineEnvironment.now,
                logger: logger)
            level.current = settings.logLevel
            server.adopt(Limits(settings.limits, logger))
            cache.writer.keep(settings.facts.maxCount, settings.limits.history)
            await engine.adopt(
                upstream.plans(into: cache, now: engineEnvironment.now, landed: pictures.wake),
                facts: upstream.facts, paused: settings.paused, watchQueue: settings.limits.watchQueue)
            inForce.adopt(loaded)
            await pictures.adopt(upstream.pictures, sizes: upstream.pictureSizes)
            pictures.wake()
        }
        var others: [any Service] = []
        if let recording { others.append(await RecordingService(recording)) }
        // With the user's `paused`, the user asks for syncs.
        if let replay, !settings.paused || loaded.isPausedByRecording {
            others.append(ReplayDriver(replay: replay, engine: engine, settings: settings, logger: logger))
        }
        logger.info("Starting", metadata: ["version": "\(version)", "cache": "\(settings.database)"])
        if let mock = settings.mock {
            logger.warning(
                "A mock stands in for the upstreams: nothing is fetched", metadata: ["mock": "\(mock)"])
        }
        // If the socket fails, neither upstream nor cache must have been touched.
        let (listening, listens) = AsyncStream.makeStream(of: Never.self)
        let (answering, answers) = AsyncStream.makeStream(of: Never.self)
        let (serving, served) = AsyncStream.makeStream(of: Never.self)
        // A stand-in for the upstreams does not depend on the network.
        let wakeups: [ServiceGroupConfiguration.ServiceConfiguration] =
            settings.hasStandIn ? [] : [.init(service: WakeupService(engine: engine, logger: logger))]
        // Each service has a description: the group would log its whole content, with settings and environment.
        let group = ServiceGroup(
            configuration: ServiceGroupConfiguration(
                services: [
                    .init(
                        service: EndingService(endings: endings),
                        successTerminationBehavior: .gracefullyShutdownGroup),
                    .init(service: reload),
                    .init(
                        service: CacheWatch(
                            writer: cache.writer, path: settings.database, losses: losses,
                            announcements: manager.announcements, sleep: engineEnvironment.sleep),
                        failureTerminationBehavior: .gracefullyShutdownGroup),
                ] + wakeups + [
                    .init(
                        service: ServingService(
                            engine: engine, pictures: pictures,
                            // A replay ends with a pause, but its pictures are still fetched.
                            isPaused: { replay == nil ? engine.paused : settings.paused },
                            listening: listening,
                            socket: SocketService(
                                server: server, socket: socket, logger: logger,
                                onListening: {
                                    // The engine has its state from the cache since its init.
                                    manager.announcements.serves { line(of: engine) }
                                    listens.finish()
                                    answers.finish()
                                }, onEnding: served.finish),
                            serving: serving),
                        successTerminationBehavior: .gracefullyShutdownGroup),
                    // The last service is shut down first, apart from recording and replay.
                    .init(
                        service: ManagedService(
                            manager: manager, engine: engine, server: server, reader: cache.reader,
                            sleep: engineEnvironment.sleep, logger: logger, answering: answering)),
                ] + others.map { .init(service: $0) },
                logger: logger))
        try await group.run()
    }

    /// userd's own types make the replies: debug builds, which the tests use, check them against the interface. That would
    /// take longer than most calls.
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

/// The engine ends as soon as the socket begins to: watches are cut off by then, and calls that wait for a sync, which
/// would keep the socket open, are answered by the engine as it ends.
private struct ServingService: Service, CustomStringConvertible {
    let engine: SyncEngine
    let pictures: PictureFetcher
    let isPaused: @Sendable () -> Bool
    let listening: AsyncStream<Never>
    let socket: SocketService
    /// Ends with the socket.
    let serving: AsyncStream<Never>
    let description = "engine and socket"

    func run() async throws {
        let running = Task { await runEngine() }
        async let ending: Void = {
            for await _ in serving {}
            running.cancel()
        }()
        do {
            try await socket.run()
        } catch {
            running.cancel()
            await running.value
            throw error
        }
        await ending
        await running.value
    }

    private func runEngine() async {
        for await _ in listening {}
        // Pictures that an earlier daemon did not fetch.
        pictures.wake()
        async let fetching: Void = pictures.run(isPaused: isPaused)
        await engine.run()
        await fetching
    }
}
