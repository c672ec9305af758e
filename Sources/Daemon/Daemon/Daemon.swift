import Cache
import FoundationEssentials
import Glibc
import HTTP
import HTTPClient
import Logging
import Model
import Platform
import Sync
import UnixSignals
import Upstream

/// Puts the parts together: the only place with the real clock, network and disk.
///
/// In: settings (Settings/SettingsLoader.swift; a setting is declared in Settings/Settings+….swift), sockets
/// of systemd, signals.
/// Out: io.userd on a socket (Methods/DaemonMethods.swift), the address book (BookServing.swift), a log,
/// messages to systemd.
///
/// Start: Userd.swift is the command line; it calls `start`, which ends in `serve` (Daemon+Serving.swift).
/// Upstreams.swift makes the services of the settings. At SIGHUP, Reload.swift reads the settings again, and
/// `adopt` (Daemon+Serving.swift) gives them to all parts; SIGTERM and SIGINT end userd, and SIGUSR1 writes the recording.
///
/// Threads: tasks run on Swift's pool, as does the engine, an actor. What blocks is elsewhere: the cache on
/// "sqlite" and "sqlite reads", sockets on NIO's event loops, LDAP on two queues for each directory, names on
/// "dns", the kernel's events on queues of Sync, tokens on "tokens", a slow reader of the log on "log".
struct Daemon: Sendable {
    let current: CurrentSettings
    let loader: SettingsLoader
    let level: SharedLogLevel
    let logger: Logger
    let environment: EngineEnvironment
    let lock: CacheLock
    let redactor = SecretRedactor()
    let secrets: SecretLog
    let logins: Logins
    let unsaved = UnsavedTokens()
    let survey = ListSurvey()
    let clients: HTTPClients
    let source: Source
    let replay: Replay?
    let recording: RecordingFile?
    let manager: ServiceManagerLink
    let socket: ServedSocket
    let bookSocket: BookSocket

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
        let manager = await ServiceManagerLink(start.environment, start.terminal, logger)
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

    private init(_ start: Start, manager: ServiceManagerLink, level: SharedLogLevel, logger: Logger) throws {
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
            try RecordingFile($0, settings, redactor, environment, manager.announcements, logger)
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
            CacheRecovery(lock: lock, environment: environment, logger: logger))
        let endings = await UnixSignalsSequence(trapping: .sigterm, .sigint)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { for await _ in endings { return } }
            group.addTask {
                var (opened, recovery, socket, hangups) = (first, recovery, socket, manager.hangups)
                while true {
                    let next = try socket.forNextServer()
                    let result: Result<Void, any Error>
                    do { result = .success(try await serve(opened, on: socket, hangups)) } catch {
                        result = .failure(error)
                    }
                    // The former sequence ended with its reader. This one keeps a signal until the cache is open again.
                    hangups = await UnixSignalsSequence(trapping: .sighup)
                    await opened.cache.close()
                    do { return try result.get() } catch { try recovery.recover(from: error) }
                    do { (opened, recovery) = try await openCache(recovery) } catch is CancellationError {
                        return
                    }
                    if Task.isCancelled { return await opened.cache.close() }
                    socket = next
                }
            }
            try await group.next()
            group.cancelAll()
            try await group.waitForAll()
        }
    }

    typealias OpenCache = (cache: Cache, losses: AsyncStream<CacheLoss>)

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

    static func makeLogger(_ level: SharedLogLevel) -> Logger {
        Logger(label: "userd", factory: { SharedLevelLogHandler(label: $0, level: level) })
    }
}
