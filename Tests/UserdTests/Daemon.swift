import Cache
import FoundationEssentials
import Logging
import Model
import StrictJSON
import Sync
import Synchronization
import TestSupport
import Testing
import Upstream
import UserdAPI
import Varlink
import VarlinkServer

@testable import Daemon

let began = Timestamp(milliseconds: 1_770_000_000_000)
let interface = Result { try Interface(parsing: UserdInterface.description) }

/// io.userd on a real socket, over an engine and a cache file. Upstream is a mock that a test can change, and
/// nothing syncs by itself.
final class Daemon: Sendable {
    struct Upstream: Sendable {
        var behavior = MockBehavior.data
        var users = User.samples
        var facts = NewFact.samples
        /// The number of pages that hold the users.
        var pages = 1
        /// Replaces the pictures of the behavior.
        var pictures: PicturesService?
        var service: UsersService?
        /// Replaces the single facts of the behavior.
        var oneFact: (@Sendable () async throws -> NewFact)?
    }

    let upstream: Mutex<Upstream>
    let asksNobody = Mutex(false)
    let engine: SyncEngine
    let cache: Cache
    let service: DaemonMethods
    let clock: VirtualClock
    /// Called by each read of a list or a user, on its thread.
    let reading = Mutex<@Sendable () -> Void>({})
    private let pictures: PictureFetcher
    let plans: [SyncPlan]
    let facts: FactsService
    let path: String

    /// Runs `body` with a daemon whose cache holds the samples, and ends it after that.
    static func with(
        synced: Bool = true, upstream: Upstream = Upstream(), maximumHistory: Int = 10_000,
        watchQueue: Int = 1024, _ body: (Daemon) async throws -> Void
    ) async throws {
        let directory = try TemporaryDirectory()
        let daemon = try await Daemon(directory, upstream, maximumHistory, watchQueue)
        let engine = daemon.engine
        let server = VarlinkServer(
            service: try VarlinkService(
                vendor: "userd", product: "userd", version: version, url: "https://example.org/",
                interfaces: [try daemon.service.handler()]),
            executor: daemon.cache.reader.executor,
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        let (listening, continuation) = AsyncStream.makeStream(of: Void.self)
        let running = Task { await engine.run() }
        let fetching = Task { await daemon.pictures.run(isPaused: { engine.paused }) }
        let serving = Task {
            defer { continuation.finish() }
            try await server.run(at: daemon.path) { continuation.yield() }
        }
        for await _ in listening { break }
        let result: Result<Void, any Error>
        do {
            if synced { _ = try await engine.sync(Resource.allCases, wait: true) }
            try await body(daemon)
            result = .success(())
        } catch {
            result = .failure(error)
        }
        serving.cancel()
        try await serving.value
        running.cancel()
        await running.value
        fetching.cancel()
        await fetching.value
        await daemon.cache.close()
        try result.get()
    }

    private init(
        _ directory: TemporaryDirectory, _ upstream: Upstream, _ maximumHistory: Int,
        _ watchQueue: Int
    ) async throws {
        self.upstream = Mutex(upstream)
        path = directory.file("s")
        let clock = VirtualClock(now: .milliseconds(began.milliseconds))
        self.clock = clock
        let environment = EngineEnvironment(
            now: { Timestamp(milliseconds: clock.now.milliseconds) }, monotonic: { clock.now },
            sleep: { try await clock.sleep($0) },
            draw: { 0 })
        // The services and the cache ask this object for the current upstream and disk.
        let box = Box()
        cache = try await Cache.live(
            path: directory.file("c/userd.db"), newEpoch: "epoch-1",
            now: {
                box.daemon?.reading.withLock { $0 }()
                return environment.now()
            },
            random: { $0.lowerBound }
        ) {
            $0.maximumHistory = maximumHistory
            $0.readers = 2
        }
        let users = UsersService { try await box.upstream.usersService.fetchPage($0, $1) }
        let facts = FactsService(
            fetchPage: { try await box.upstream.factsService.fetchPage($0, $1) },
            fetchOne: { try await box.upstream.factsService.fetchOne() })
        let schedule = Schedule(interval: .seconds(60))
        plans = [
            .users(users, into: cache.writer, schedule: schedule, removals: RemovalGuard(limit: 0.5)),
            .facts(
                facts, into: cache.writer, schedule: schedule, maximum: 100, now: environment.now),
        ]
        self.facts = facts
        engine = try await SyncEngine(
            plans: plans, facts: facts, cache: cache, environment: environment, paused: true,
            watchQueue: watchQueue,
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        pictures = PictureFetcher(
            service: PicturesService { try await box.upstream.picturesService.fetch($0, $1) }, sizes: [],
            cache: cache.pictures, environment: environment,
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        service = DaemonMethods(
            engine: engine, cache: cache.reader, pictures: pictures, startedAt: began,
            asksNobody: { box.daemon?.asksNobody.withLock { $0 } ?? false })
        box.daemon = self
    }

    private final class Box: Sendable {
        private let holder = Mutex<Daemon?>(nil)

        var daemon: Daemon? {
            get { holder.withLock { $0 } }
            set { holder.withLock { $0 = newValue } }
        }

        var upstream: Upstream { daemon?.upstream.withLock { $0 } ?? Upstream() }
    }

    func set(_ behavior: MockBehavior) { upstream.withLock { $0.behavior = behavior } }

    /// Turns on only these resources.
    func turnOn(_ resources: Resource...) async {
        await engine.adopt(
            plans.filter { resources.contains($0.resource) }, facts: facts, paused: true)
    }

    // MARK: Calls

    /// The replies to a call. They and errors are checked against the interface.
    func replies(_ method: String, _ parameters: String = "{}", more: Bool = false) async throws -> [String] {
        let path = path
        let replies = Mutex<[String]>([])
        do {
            try await onThread {
                let client = try VarlinkClient(path: path)
                let parameters = Array(parameters.utf8)
                if more {
                    try client.callMore("io.userd." + method, parameters: parameters, timeout: .seconds(20)) {
                        reply in
                        replies.withLock { $0.append(String(decoding: reply.raw, as: UTF8.self)) }
                        return .proceed
                    }
                } else {
                    let reply = try client.call(
                        "io.userd." + method, parameters: parameters, timeout: .seconds(20))
                    replies.withLock { $0.append(String(decoding: reply, as: UTF8.self)) }
                }
            }
        } catch let error as VarlinkError {
            try expectDeclared(error)
            throw error
        }
        for reply in replies.withLock({ $0 }) { try expect(Array(reply.utf8), fits: method) }
        return replies.withLock { $0 }
    }

    func call(_ method: String, _ parameters: String = "{}") async throws -> String {
        try #require(try await replies(method, parameters).first)
    }

    /// A call with the types of UserdAPI, as a client of this package makes it.
    func call<Parameters, Output>(
        _ method: UserdMethod<Parameters, Output>, _ parameters: Parameters
    ) async throws -> Output {
        let parameters = String(decoding: try encoded(parameters), as: UTF8.self)
        return try decoded(Output.self, from: Array(try await call(method.name, parameters).utf8))
    }

    /// The error of a call.
    func error(_ method: String, _ parameters: String = "{}", more: Bool = false) async throws -> UserdError?
    {
        let error = try await #require(throws: VarlinkError.self) {
            try await self.replies(method, parameters, more: more)
        }
        return UserdError(wire: error)
    }

    func watch(_ parameters: String = "{}") async throws -> WatchClient {
        try await WatchClient(path: path, parameters)
    }
}

extension Daemon.Upstream {
    fileprivate var usersService: UsersService {
        if let service { return service }
        guard pages > 1 else { return .mock(behavior, users: users) }
        let size = (users.count + pages - 1) / pages
        return UsersService(fetchPage: { [users, pages] page, _ in
            Page(
                records: Array(users.dropFirst((page.number - 1) * size).prefix(size)),
                next: page.number < pages ? PageRequest(number: page.number + 1) : nil, total: users.count)
        })
    }
    fileprivate var factsService: FactsService {
        var service = FactsService.mock(behavior, facts: facts)
        if let oneFact { service.fetchOne = oneFact }
        return service
    }
    fileprivate var picturesService: PicturesService { pictures ?? .mock(behavior) }
}

/// A watcher on its own thread.
final class WatchClient: Sendable {
    private let replies = Channel<Result<[UInt8], any Error>>()
    private let interrupt: @Sendable () -> Void

    init(path: String, _ parameters: String) async throws {
        let (replies, connected) = (replies, Channel<Result<@Sendable () -> Void, any Error>>())
        let thread = Task {
            try await onThread {
                let client: VarlinkClient
                do {
                    client = try VarlinkClient(path: path)
                } catch {
                    return connected.send(.failure(error))
                }
                connected.send(.success(client.interrupt))
                do {
                    try client.callMore(
                        "io.userd.Watch", parameters: Array(parameters.utf8), timeout: .seconds(20)
                    ) { reply in
                        replies.send(.success(Array(reply.raw)))
                        return .proceed
                    }
                } catch {
                    replies.send(.failure(error))
                }
            }
        }
        _ = thread
        interrupt = try await connected.receive().get()
    }

    func next() async throws -> State {
        let reply = try await replies.receive().get()
        try expect(reply, fits: "Watch")
        return try decoded(WatchedState.self, from: reply).state
    }

    func states(_ count: Int) async throws -> [State] {
        var states: [State] = []
        for _ in 0..<count { states.append(try await next()) }
        return states
    }

    func stop() { interrupt() }
}

/// Checks a reply against the interface.
func expect(_ reply: [UInt8], fits method: String) throws {
    let interface = try interface.get()
    let output = try #require(interface.method(method)).output
    let value = try JSONValue(validating: reply, maximumDepth: 32)
    #expect(
        interface.invalidParameter(in: value, fields: output) == nil,
        "\(method): \(String(decoding: reply, as: UTF8.self))")
    #expect(!hasNull(value), "\(method): what is null is to be left out")
}

func expectDeclared(_ error: VarlinkError) throws {
    guard error.name.hasPrefix("io.userd.") else {
        #expect(error.name.hasPrefix("org.varlink.service."))
        return
    }
    let interface = try interface.get()
    let declared = try #require(interface.error(String(error.name.dropFirst("io.userd.".count))))
    let value = try JSONValue(validating: error.parameters, maximumDepth: 32)
    #expect(interface.invalidParameter(in: value, fields: declared.fields) == nil, "\(error)")
}

private func hasNull(_ value: JSONValue) -> Bool {
    value.isNull || (value.members ?? []).contains { hasNull($0.value) }
        || (value.elements ?? []).contains(where: hasNull)
}
