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
import UnixSignals
import UserdAPI
import Varlink
import VarlinkServer

/// Puts the parts together: here alone are the real clock, the real network and the real disk.
enum Daemon {
    /// - Parameter replayed: what answers in the place of the upstreams, where there is one.
    static func run(
        _ loaded: LoadedSettings, _ replayed: Recording?, loader: SettingsLoader,
        environment: [String: String]
    ) async throws {
        // Until there is more to end in order: a cache that is being opened is left as a kill leaves it.
        for ending in [SIGTERM, SIGINT] { signal(ending) { _ in _exit(0) } }
        let level = SharedLogLevel(loaded.settings.logLevel)
        let logger = makeLogger(level)
        for warning in loaded.warnings { logger.warning("\(warning)") }
        let manager = await Manager(environment, logger)
        do {
            try await run(loaded, replayed, loader, environment, manager, level, logger)
        } catch {
            manager.announcements.failed(error)
            await manager.announcements.areHeard()
            throw error
        }
        await manager.announcements.areHeard()
        logger.info("Ended")
    }

    private static func run(
        _ loaded: LoadedSettings, _ replayed: Recording?, _ loader: SettingsLoader,
        _ environment: [String: String], _ manager: Manager,
        _ level: SharedLogLevel, _ logger: Logger
    ) async throws {
        let settings = loaded.settings
        let replay = replayed.map { Replay($0, speed: settings.replaySpeed) }
        let started = ContinuousClock.now
        let engineEnvironment = EngineEnvironment(
            now: { Timestamp(Date()) }, monotonic: { ContinuousClock.now - started },
            sleep: { try await Task.sleep(for: $0) }, draw: { .random(in: 0..<1) })
        let socket: ServedSocket
        do {
            socket = try ServedSocket(settings, environment)
        } catch let error as ListenError {
            throw StartError(description: "\(error)")
        }
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
        // Records wait for their commit in temporary files: they belong beside the cache, not in a shared folder.
        setenv("SQLITE_TMPDIR", parent(of: settings.database), 1)

        if let replayed, let path = settings.replay { replayed.announce(path, logger) }
        let (gone, isGone) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let cache = try await Cache.live(
            path: settings.database, newEpoch: UUID().uuidString.lowercased(),
            maximumFacts: settings.facts.maxCount, maximumHistory: settings.limits.history,
            now: engineEnvironment.now,
            // What clients ask for must not change what is drawn for syncs.
            random: { .random(in: $0) }, folded: folded,
            gone: { isGone.yield() }, migrating: manager.announcements.migrates)
        let clients = HTTPClients(recorder: recording?.recorder)
        let source =
            settings.mock.map { .mock(MockBehavior($0)) } ?? replay.map(Source.recording)
            ?? Source.upstreams(clients)
        var failure: (any Error)?
        do {
            try await serve(
                socket, loaded, loader, cache, gone, source, replay, recording, token, engineEnvironment,
                manager,
                level, logger)
        } catch let error as ListenError {
            failure = StartError(description: "\(error)")
        } catch {
            failure = error
        }
        // However it ended: clients that are let go without it stop the program.
        await clients.shutdown()
        await cache.close()
        // One that could not begin leaves the recording of another as it is.
        if failure == nil || recording?.recorder.isEmpty == false {
            do { try await recording?.write() } catch { failure = failure ?? error }
        }
        replay?.conclude(logger)
        if let failure { throw failure }
    }

    private static func serve(
        _ socket: ServedSocket, _ loaded: LoadedSettings, _ loader: SettingsLoader, _ cache: Cache,
        _ gone: AsyncStream<Void>, _ source: Source, _ replay: Replay?, _ recording: RecordingFile?,
        _ token: OwnToken, _ engineEnvironment: EngineEnvironment, _ manager: Manager,
        _ level: SharedLogLevel,
        _ logger: Logger
    ) async throws {
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
            engine: engine, cache: cache.reader, pictures: pictures, startedAt: engineEnvironment.now())
        let varlink = try VarlinkService(
            vendor: "userd", product: "userd", version: version, url: "https://userd.example",
            interfaces: [try service.handler()], uncheckedReplies: uncheckedReplies)
        // Most calls are reads.
        let server = VarlinkServer(
            service: varlink, limits: Limits(settings.limits, logger),
            whenFull: { $0.method == UserdMethod.getState.qualifiedName }, executor: cache.reader.executor,
            logger: logger)

        let reload = Reload(
            signals: manager.hangups, loader: loader, started: settings, announcements: manager.announcements,
            logger: logger
        ) { settings in
            let upstream = try Upstreams(
                settings, source, token: token, recorder: recording?.recorder, now: engineEnvironment.now,
                logger: logger)
            level.current = settings.logLevel
            server.adopt(Limits(settings.limits, logger))
            cache.writer.keep(settings.facts.maxCount, settings.limits.history)
            await engine.adopt(
                upstream.plans(into: cache, now: engineEnvironment.now, landed: pictures.wake),
                facts: upstream.facts, paused: settings.paused, watchQueue: settings.limits.watchQueue)
            await pictures.adopt(upstream.pictures, sizes: upstream.pictureSizes)
            pictures.wake()
        }
        var others: [any Service] = []
        if let recording { others.append(RecordingService(recording)) }
        // Who says that nothing is to sync by itself asks himself.
        if let replay, !settings.paused || loaded.isPausedByRecording {
            others.append(ReplayDriver(replay: replay, engine: engine, settings: settings, logger: logger))
        }
        logger.info("Starting", metadata: ["version": "\(version)", "cache": "\(settings.database)"])
        if let mock = settings.mock {
            logger.warning(
                "A mock stands in for the upstreams: nothing is fetched", metadata: ["mock": "\(mock)"])
        }
        // A daemon whose socket is refused must not have touched upstream or cache.
        let (listening, listens) = AsyncStream.makeStream(of: Never.self)
        let (answering, answers) = AsyncStream.makeStream(of: Never.self)
        let (serving, served) = AsyncStream.makeStream(of: Never.self)
        // What stands in for the upstreams is there whatever becomes of the network.
        let wakeups: [ServiceGroupConfiguration.ServiceConfiguration] =
            settings.hasStandIn ? [] : [.init(service: WakeupService(engine: engine, logger: logger))]
        let group = ServiceGroup(
            configuration: ServiceGroupConfiguration(
                services: [
                    .init(service: reload),
                    .init(
                        service: CacheWatch(writer: cache.writer, gone: gone, sleep: engineEnvironment.sleep),
                        failureTerminationBehavior: .gracefullyShutdownGroup),
                ] + wakeups + [
                    .init(
                        service: ServingService(
                            engine: EngineService(
                                engine: engine, pictures: pictures,
                                // A replay ends with a pause, and its pictures come nevertheless.
                                isPaused: { replay == nil ? engine.paused : settings.paused },
                                listening: listening),
                            socket: SocketService(
                                server: server, socket: socket, logger: logger,
                                onListening: {
                                    // The engine has had its state from the cache since it was made.
                                    manager.announcements.serves { line(of: engine) }
                                    listens.finish()
                                    answers.finish()
                                }, onEnding: served.finish),
                            serving: serving),
                        successTerminationBehavior: .gracefullyShutdownGroup),
                    // The last is shut down first, but for the recording, which nobody waits for.
                    .init(
                        service: ManagedService(
                            manager: manager, engine: engine, server: server, reader: cache.reader,
                            sleep: engineEnvironment.sleep, logger: logger, answering: answering)),
                ] + others.map { .init(service: $0) },
                gracefulShutdownSignals: [.sigterm, .sigint], logger: logger))
        try await group.run()
    }

    /// Lists copy finished records out of the cache: to hold a thousand of them against the interface takes four times as
    /// long as the rest of the call. Debug builds, the tests' among them, do it nevertheless.
    private static var uncheckedReplies: Set<String> {
        #if DEBUG
            []
        #else
            [UserdMethod.listUsers.qualifiedName, UserdMethod.listFacts.qualifiedName]
        #endif
    }

    static func makeLogger(_ level: SharedLogLevel) -> Logger {
        Logger(label: "userd", factory: { SharedLevelLogHandler(label: $0, level: level) })
    }
}

/// The engine ends as soon as the socket has begun to: watches have been cut off then, and a call that waits for a sync,
/// which would keep the socket open for as long as a shutdown may take, is answered by the engine that ends.
private struct ServingService: Service {
    let engine: EngineService
    let socket: SocketService
    /// Ends with the socket.
    let serving: AsyncStream<Never>

    func run() async throws {
        let running = Task { await engine.run() }
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
}

private struct EngineService {
    let engine: SyncEngine
    let pictures: PictureFetcher
    let isPaused: @Sendable () -> Bool
    let listening: AsyncStream<Never>

    /// Until the task is cancelled.
    func run() async {
        for await _ in listening {}
        // What a daemon before this one did not come to.
        pictures.wake()
        async let fetching: Void = pictures.run(isPaused: isPaused)
        await engine.run()
        await fetching
    }
}

// The group logs a service with all that is in it, settings' sources and environment included, unless it has a name.
extension ServingService: CustomStringConvertible {
    var description: String { "engine and socket" }
}

extension WakeupService: CustomStringConvertible {
    var description: String { "wakeups" }
}
