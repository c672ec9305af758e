import BaseDirectories
import Cache
import Collation
import Foundation
import Glibc
import Logging
import Model
import ServiceLifecycle
import ServiceManager
import Services
import ServicesLive
import Settings
import SyncEngine
import UnixSignals
import UserdAPI
import UserdService
import Varlink
import VarlinkServer

/// Puts the parts together: here alone are the real clock, the real network and the real disk.
enum Daemon {
    static func run(
        _ loaded: LoadedSettings, loader: SettingsLoader, environment: [String: String]
    ) async throws {
        // Until there is more to end in order: a cache that is being opened is left as a kill leaves it.
        for ending in [SIGTERM, SIGINT] { signal(ending) { _ in _exit(0) } }
        var settings = loaded.settings
        let logger = makeLogger(settings)
        for warning in loaded.warnings { logger.warning("\(warning)") }
        let manager = serviceManager(environment, logger)
        let socket: ServedSocket
        do {
            socket = try ServedSocket(settings, environment)
        } catch let error as ListenError {
            throw StartError(description: "\(error)")
        }
        settings.limits.connections = makeRoom(forConnections: settings.limits.connections, logger)
        let lock = try CacheLock(path: settings.database)
        defer { withExtendedLifetime(lock) {} }
        // Records wait for their commit in temporary files: they belong beside the cache, not in a shared folder.
        setenv("SQLITE_TMPDIR", parent(of: settings.database), 1)

        let started = ContinuousClock.now
        let surroundings = Surroundings(
            now: { Timestamp(Date()) }, monotonic: { ContinuousClock.now - started },
            sleep: { try await Task.sleep(for: $0) }, draw: { .random(in: 0..<1) })
        let cache = try await Cache.live(
            path: settings.database, newEpoch: UUID().uuidString.lowercased(),
            maximumFacts: settings.facts.maxCount, maximumHistory: settings.limits.history,
            now: surroundings.now, random: { .random(in: $0) }, folded: folded)
        let clients = HTTPClients()
        let outcome: Result<Void, any Error>
        do {
            outcome = .success(
                try await serve(
                    socket, settings, loader, cache, clients, surroundings, manager, logger))
        } catch let error as ListenError {
            outcome = .failure(StartError(description: "\(error)"))
        } catch {
            outcome = .failure(error)
        }
        // However it ended: clients that are let go without it stop the program.
        await clients.shutdown()
        await cache.close()
        await manager?.hasHeard()
        try outcome.get()
        logger.info("Ended")
    }

    private static func serve(
        _ socket: ServedSocket, _ settings: Settings, _ loader: SettingsLoader, _ cache: Cache,
        _ clients: HTTPClients, _ surroundings: Surroundings, _ manager: ServiceManager?,
        _ logger: Logger
    ) async throws {
        let upstream = try Upstreams(settings, clients, logger: logger)
        let pictures = PictureFetcher(
            service: upstream.pictures, sizes: upstream.pictureSizes, cache: cache.pictures,
            surroundings: surroundings, logger: logger)
        let engine = try await SyncEngine(
            plans: upstream.plans(into: cache, now: surroundings.now, landed: pictures.wake),
            facts: upstream.facts, cache: cache, surroundings: surroundings, paused: settings.paused,
            watchQueue: settings.limits.watchQueue,
            logger: logger)
        let service = UserdService(
            engine: engine, cache: cache.reader, pictures: pictures, startedAt: surroundings.now())
        let varlink = try VarlinkService(
            vendor: "userd", product: "userd", version: version, url: "https://userd.example",
            interfaces: [try service.handler()], uncheckedReplies: uncheckedReplies)
        let server = VarlinkServer(
            service: varlink, limits: Limits(settings.limits),
            whenFull: { $0.method == UserdMethod.getState.qualifiedName }, logger: logger)

        let reload = Reload(loader: loader, started: settings, logger: logger) { settings in
            let upstream = try Upstreams(settings, clients, logger: logger)
            await engine.adopt(
                upstream.plans(into: cache, now: surroundings.now, landed: pictures.wake),
                facts: upstream.facts, paused: settings.paused)
            await pictures.adopt(upstream.pictures, sizes: upstream.pictureSizes)
            pictures.wake()
        }
        logger.info("Starting", metadata: ["version": "\(version)", "cache": "\(settings.database)"])
        // A daemon whose socket is refused must not have touched upstream or cache.
        let (listening, listens) = AsyncStream.makeStream(of: Never.self)
        let group = ServiceGroup(
            configuration: ServiceGroupConfiguration(
                services: [
                    .init(service: reload),
                    .init(service: WakeupService(engine: engine, logger: logger)),
                    .init(
                        service: ServingService(
                            engine: EngineService(engine: engine, pictures: pictures, listening: listening),
                            socket: SocketService(server: server, socket: socket, logger: logger) {
                                // The engine has had its state from the cache since it was made.
                                manager?.tell(.ready(status: "ready"))
                                listens.finish()
                            }),
                        successTerminationBehavior: .gracefullyShutdownGroup),
                    // The last is shut down first.
                    .init(service: EndNotice(manager: manager)),
                ],
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

    private static func serviceManager(_ environment: [String: String], _ logger: Logger) -> ServiceManager? {
        do {
            return try ServiceManager.taken(from: environment)
        } catch {
            logger.warning("The service manager is told nothing", metadata: ["reason": "\(error)"])
            return nil
        }
    }

    static func makeLogger(_ settings: Settings) -> Logger {
        var logger = Logger(label: "userd", factory: { StreamLogHandler.standardError(label: $0) })
        logger.logLevel = settings.logLevel
        return logger
    }
}

/// Engine and socket end at the same time: a call that waits for a sync would keep the socket open for as long as a shutdown
/// may take, and the engine, ending, answers it.
private struct ServingService: Service {
    let engine: EngineService
    let socket: SocketService

    func run() async throws {
        // Cancelled where the socket's last client has gone.
        async let _: Void = engine.run()
        try await socket.run()
    }
}

private struct EngineService: Service {
    let engine: SyncEngine
    let pictures: PictureFetcher
    let listening: AsyncStream<Never>

    func run() async throws {
        await cancelWhenGracefulShutdown {
            for await _ in listening {}
            // What a daemon before this one did not come to.
            pictures.wake()
            async let fetching: Void = pictures.run(isPaused: { engine.paused })
            await engine.run()
            await fetching
        }
    }
}

// The group logs a service with all that is in it, settings' sources and environment included, unless it has a name.
extension ServingService: CustomStringConvertible {
    var description: String { "engine and socket" }
}

extension Reload: CustomStringConvertible {
    var description: String { "reload" }
}

extension WakeupService: CustomStringConvertible {
    var description: String { "wakeups" }
}
