import Cache
import DemoUpstream
import Foundation
import HTTP
import HTTPClient
import Logging
import Model
import Sync
import Synchronization
import TestSupport
import Testing
import Upstream

@testable import Daemon

let began = Timestamp(milliseconds: 1_770_000_000_000)
let interval = Duration.seconds(3600)

extension HTTPLimits {
    /// Limits for requests that must succeed, even on a busy machine.
    static let generous = HTTPLimits(
        connectTimeout: .seconds(20), deadline: .seconds(40), maxResponseBytes: 1 << 20)
}

/// The production engine, cache and services over real HTTP, with a virtual clock. Only the upstream of users
/// has trouble.
final class Rig: Sendable {
    let engine: SyncEngine
    let cache: Cache
    let clock: VirtualClock
    let facts: DemoUpstream
    private let trouble: Trouble
    private let isTroubled: Switch
    private let watcher: Watcher
    private let requests: Requests

    private final class Requests: Sendable { let count = Atomic(0) }

    /// Runs the body on a rig that has loaded both resources.
    /// - Parameter limits: apply during trouble.
    static func with(
        _ trouble: Trouble, limits: HTTPLimits = .generous, _ body: (Rig) async throws -> Void
    ) async throws {
        let roots = try #require(TrustRoots(files: trouble.roots))
        let calm = LiveHTTP(limits: .generous, userAgent: "userd/test", additionalTrustRoots: roots)
        let troubled = LiveHTTP(limits: limits, userAgent: "userd/test", additionalTrustRoots: roots)
        let facts = try await DemoUpstream()
        let result: Result<Void, any Error>
        do {
            let rig = try await Rig(trouble, facts, calm.transport, troubled.transport)
            let running = Task { await rig.engine.run() }
            do {
                for _ in Resource.allCases { #expect(try await rig.ended().phase == .loaded) }
                try await body(rig)
                result = .success(())
            } catch {
                result = .failure(error)
            }
            running.cancel()
            await running.value
            await rig.cache.close()
        } catch {
            result = .failure(error)
        }
        try await calm.shutdown()
        try await troubled.shutdown()
        await facts.stop()
        await trouble.stop()
        try result.get()
    }

    private init(
        _ trouble: Trouble, _ facts: DemoUpstream, _ calm: HTTPTransport, _ troubled: HTTPTransport
    ) async throws {
        let (clock, isTroubled, requests) = (
            VirtualClock(now: .milliseconds(began.milliseconds)), Switch(), Requests()
        )
        (self.trouble, self.facts, self.clock, self.isTroubled, self.requests) = (
            trouble, facts, clock, isTroubled, requests
        )
        let environment = EngineEnvironment(
            now: { Timestamp(milliseconds: clock.now.milliseconds) }, monotonic: { clock.now },
            sleep: { try await clock.sleep($0) }, draw: { 0.5 })
        let users = HTTPTransport { request in
            requests.count.add(1, ordering: .sequentiallyConsistent)
            guard isTroubled.isOn else { return try await calm.send(request) }
            var request = request
            if let detour = trouble.detour { request.url = detour }
            return try await troubled.send(request)
        }
        let usersService = UsersService.live(
            try .users(
                .builtIn("randomuser"),
                UpstreamSettings(url: trouble.url, query: "seed=a", pageSize: 30, pages: 1),
                now: environment.now), transport: users,
            now: environment.now)
        let catfact = try DirectoryFormat.builtIn("catfact")
        let factsService = FactsService.live(
            .facts(catfact, UpstreamSettings(url: try url(facts.url("/facts")), pageSize: 100)),
            transport: calm,
            one: try url(facts.url("/fact")), now: environment.now)
        let cache = try await Cache.live(
            path: ":memory:", newEpoch: "epoch-1", now: environment.now, random: { $0.lowerBound }
        ) {
            $0.readers = 1
        }
        self.cache = cache
        engine = try await SyncEngine(
            plans: [
                .users(
                    usersService, into: cache.writer, schedule: Schedule(interval: interval),
                    removals: RemovalGuard(limit: 0.5)),
                // A long interval, so that facts do not sync by themselves.
                .facts(
                    factsService, into: cache.writer, schedule: Schedule(interval: .seconds(30 * 86_400)),
                    maximum: 100, now: environment.now),
            ],
            facts: factsService, cache: cache, environment: environment,
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        watcher = try await engine.watch(
            from: .after(index: 0, epoch: nil), resources: Set(Resource.allCases), progress: false)
    }

    func begin() async throws {
        try await trouble.begin()
        isTroubled.set(true)
    }

    func lift() async throws {
        try await trouble.lift()
        isTroubled.set(false)
    }

    /// Waits for the next transition that ends a sync, of this resource if given.
    func ended(_ resource: Resource? = nil) async throws -> State {
        while let state = try await watcher.next() {
            if state.phase != .syncing, resource == nil || state.resource == resource { return state }
        }
        throw CancellationError()
    }

    func state(_ resource: Resource) throws -> State {
        try #require(engine.states.first { $0.resource == resource })
    }

    /// The cached users as JSON.
    func users() async throws -> [UInt8] {
        Array(try await cache.reader.users(UserQuery(limit: 100)).records)
    }

    /// Advances the clock to the next sync of users, and returns its outcome. Checks that no request comes a
    /// millisecond earlier.
    func due() async throws -> State {
        let state = try state(.users)
        let due = try #require(state.nextSyncAt)
        let wait = due - Timestamp(milliseconds: clock.now.milliseconds)
        // Waits until the timer is set, skipping timers of facts.
        while try await clock.sleeps.receive() != wait {}
        let asked = requestCount
        clock.advance(by: wait - .milliseconds(1))
        // The answer comes after all earlier messages.
        _ = try await engine.cancel([.users])
        #expect(try self.state(.users).index == state.index && requestCount == asked)
        clock.advance(by: .milliseconds(1))
        let ended = try await ended(.users)
        #expect(requestCount > asked && ended.since == due)
        return ended
    }

    private var requestCount: Int { requests.count.load(ordering: .sequentiallyConsistent) }
}
