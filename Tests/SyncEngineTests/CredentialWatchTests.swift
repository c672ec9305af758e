import Logging
import Model
import Stubs
import Sync
import Synchronization
import TestSupport
import Testing
import Upstream

@Suite("Credentials that come in a file", .timeLimit(.hang), .stubs) struct CredentialWatchTests {
    /// An engine without syncs of its own, whose users are asked with the content of a file.
    private struct World {
        let users = UsersStub(waits: true)
        let file = Box("old")
        let personAsked = Box(0)
        let rig: Rig
        let watch: CredentialWatch

        init() async throws {
            let (users, file, personAsked) = (users, file, personAsked)
            rig = try await Rig {
                $0.paused = true
                var service = UsersService(users)
                service.onManualSync = { personAsked.change { $0 += 1 } }
                $0.users = service
            }
            watch = CredentialWatch(
                engine: rig.engine, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
            ) { ["/token": [file.next().hashValue]] }
        }

        /// Runs the watch beside the body.
        func watching(_ body: (World) async throws -> Void) async throws {
            let (changes, watch) = (rig.engine.changes, watch)
            let tasks = [
                Task { await watch.run() }, Task { for await _ in changes { watch.changed() } },
            ]
            try await body(self)
            for task in tasks { task.cancel() }
            await rig.stop()
        }

        /// Lets some looks at the file pass.
        func look(times: Int) async throws {
            for _ in 0..<times {
                try await wait { rig.clock.sleeperCount == 1 }
                rig.clock.advance(by: CredentialWatch.pause)
            }
            try await wait { rig.clock.sleeperCount == 1 }
        }

        /// Looks at the file until a sync begins.
        func begins() async throws -> State {
            let begun = Task { [rig] in try await rig.next() }
            let ticking = Task { [rig] in
                while !Task.isCancelled {
                    if rig.clock.sleeperCount > 0 { rig.clock.advance(by: CredentialWatch.pause) }
                    await Task.yield()
                }
            }
            defer { ticking.cancel() }
            return try await begun.value
        }

        func fail(_ error: UpstreamError) async throws -> State {
            users.failure(error)
            return try await rig.ended()
        }
    }

    @Test(
        "After a refusal each new content is tried once, by itself, also while paused; a person has not asked",
        arguments: [
            UpstreamError(.http, "answered 401", status: 401), UpstreamError(.http, "no", status: 403),
            UpstreamError(.credentials, "there is no file /token"),
            UpstreamError(.ldap, "invalidCredentials (49)", advice: .checkPassword),
        ])
    func tried(refusal: UpstreamError) async throws {
        try await World().watching { world in
            let first = Task { try await world.rig.engine.sync([.users], wait: true) }
            #expect(try await world.fail(refusal).phase == .error)
            _ = try await first.value
            try await world.look(times: 3)
            world.file.change { $0 = "new" }
            #expect(try await world.begins().cause == .due)
            #expect(try await world.fail(refusal).failure?.attempts == 2)
            try await world.look(times: 3)
            world.file.change { $0 = "old" }
            try await world.look(times: 3)
            world.file.change { $0 = "newer" }
            #expect(try await world.begins().phase == .syncing)
            world.users.success(people(0..<2))
            #expect(try await world.rig.ended().phase == .loaded)
            #expect(world.users.callCount == 3 && world.personAsked.value == 1)
            try await wait { world.rig.clock.sleeperCount == 0 }
        }
    }

    @Test("A file that changes at each look is still being written: it is not tried")
    func halfWritten() async throws {
        try await World().watching { world in
            let first = Task { try await world.rig.engine.sync([.users], wait: true) }
            _ = try await world.fail(UpstreamError(.http, "answered 401", status: 401))
            _ = try await first.value
            world.file.grows.store(true, ordering: .sequentiallyConsistent)
            try await world.look(times: 5)
            #expect(world.users.callCount == 1)
            world.file.grows.store(false, ordering: .sequentiallyConsistent)
            world.file.change { $0 = "whole" }
            _ = try await world.begins()
            world.users.success(people(0..<1))
            #expect(try await world.rig.ended().phase == .loaded)
        }
    }

    @Test("A new content waits for upstream's Retry-After, and is tried then")
    func held() async throws {
        try await World().watching { world in
            let first = Task { try await world.rig.engine.sync([.users], wait: true) }
            _ = try await world.fail(
                UpstreamError(.http, "answered 403", status: 403, retryAfter: .seconds(60)))
            _ = try await first.value
            world.file.change { $0 = "new" }
            try await world.look(times: 5)
            #expect(world.users.callCount == 1)
            _ = try await world.begins()
            world.users.success(people(0..<1))
            #expect(try await world.rig.ended().phase == .loaded)
        }
    }

    @Test(
        "Only a failure that other credentials may mend waits for them",
        arguments: [
            (UpstreamError(.offline, "no route"), false), (UpstreamError(.http, "no", status: 404), false),
            (UpstreamError(.http, "no", status: 503), false), (UpstreamError(.tls, "expired"), false),
            (UpstreamError(.rateLimited, "wait", status: 429), false), (UpstreamError(.decode, "no"), false),
            (UpstreamError(.ldap, "busy (51)"), false),
            (UpstreamError(.ldap, "no", advice: .checkBase), false),
            (UpstreamError(.ldap, "no", advice: .checkBind), true),
            (UpstreamError(.http, "no", status: 401), true), (UpstreamError(.credentials, "no"), true),
            (UpstreamError(.ldap, "no", advice: .checkPassword), true),
            (UpstreamError(.rateLimited, "wait", status: 403), false),
            (UpstreamError(.redirect, "no", status: 401), false),
        ])
    func kinds(error: UpstreamError, waits: Bool) {
        #expect(error.failure.isAboutCredentials == waits)
    }
}

/// A value that several tasks share.
private final class Box<Value: Sendable>: Sendable {
    private let contents: Mutex<Value>
    let grows = Atomic(false)
    private let reads = Atomic(0)

    init(_ value: Value) { contents = Mutex(value) }

    var value: Value { contents.withLock { $0 } }
    func change(_ change: (inout Value) -> Void) { contents.withLock { change(&$0) } }
}

extension Box<String> {
    /// The content; another one at each call while it grows.
    fileprivate func next() -> String {
        guard grows.load(ordering: .sequentiallyConsistent) else { return value }
        return value + "\(reads.add(1, ordering: .relaxed).newValue)"
    }
}
