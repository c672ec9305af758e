import MockDaemon
import Model
import StrictJSON
import Sync
import Synchronization
import TestSupport
import Testing
import Upstream
import UserdAPI
import Varlink

/// `UserdClient` with a real userd, and its mock, which must behave the same.
@Suite(.timeLimit(.hang)) struct ClientTests {
    private static let offline = Failure(
        kind: .offline, message: "the mock upstream fails each time", retryable: true)

    private struct Story: Sendable {
        /// The result of each call.
        var told: [String] = []
        var replies: [(method: String, bytes: [UInt8])] = []
    }

    /// Calls each endpoint.
    private static func story(
        _ userd: UserdClient, upstream: (_ isBroken: Bool) -> Void, hang: (Bool) -> Void
    ) throws -> Story {
        var told: [String] = []
        var replies: [(method: String, bytes: [UInt8])] = []
        func note<Output>(_ reply: RawReply<Output>) throws -> Output {
            replies.append((String(reply.method.dropFirst("io.userd.".count)), reply.bytes))
            return try reply.decoded()
        }
        func tell<Output>(_ reply: RawReply<Output>, _ say: (Output) -> [Any]) throws {
            told.append("\(reply.method) \(say(try note(reply)))")
        }
        func tell(_ states: RawReply<States>) throws { try tell(states) { $0.states.map(text) } }
        func tellError(_ call: () throws -> Any) {
            do { told.append("\(try call())") } catch { told.append(withoutEpoch("\(error)")) }
        }

        _ = try userd.setPaused(SetPaused(paused: true))
        try tell(userd.getState()) { $0.states.map(text) + [$0.paused, $0.version, $0.startedAt] }
        try tell(userd.listUsers(ListUsers())) { [$0.users.count, $0.total, $0.freshness] }
        tellError { try userd.randomFact(RandomFact()) }
        try tell(userd.history(History())) { $0.states.map(text) }

        try tell(userd.sync(Sync(resources: [.users], wait: true)))
        try tell(userd.sync(Sync(resources: [.facts], wait: true)))
        try tell(userd.listUsers(ListUsers(search: "jennie", nationality: "us"))) {
            [$0.users, $0.freshness]
        }
        try tell(userd.listUsers(ListUsers(order: .email, limit: 3))) {
            [$0.users.map(\.id), $0.total, $0.next != nil]
        }
        var pages: [[String]] = []
        try userd.listAllUsers(ListUsers(order: .email, descending: true, limit: 3)).forEach { page in
            pages.append(try note(page).users.map(\.id))
            return .proceed
        }
        told.append("\(pages.map(\.count)) \(pages[0])")
        try tell(userd.getUser(GetUser(key: "BIGSWAN571"))) { [$0] }
        try tell(userd.getPicture(GetPicture(key: "sample-bare"))) { [$0.contentType, $0.placeholder] }
        try tell(userd.getPicture(GetPicture(key: "sample-full", size: .large))) { [$0] }
        try tell(userd.listFacts(ListFacts(search: "CLOWD"))) { [$0.facts.map(\.text), $0.total] }
        var facts: [String] = []
        try userd.listAllFacts(ListFacts(limit: 3)).forEach { page in
            facts += try note(page).facts.map(\.text)
            return .stop
        }
        told.append("\(facts)")
        try tell(userd.randomFact(RandomFact(maxLength: 29))) { [$0.fact.text, $0.freshness] }

        tellError { try userd.getUser(GetUser(key: "nobody")) }
        tellError { try userd.getPicture(GetPicture(key: "nobody")) }
        tellError { try userd.listUsers(ListUsers(cursor: "x")) }
        tellError { try userd.listFacts(ListFacts(limit: 0)) }
        tellError { try userd.history(History(limit: -1)) }
        tellError { try userd.watch(Watch(since: 99)).forEach { _ in .proceed } }

        upstream(true)
        tellError { try userd.fetchFact() }
        for _ in 0..<2 { try tell(userd.sync(Sync(resources: [.users], wait: true))) }
        try tell(userd.retry(Retry(wait: true)))
        upstream(false)
        try tell(userd.retry(Retry(wait: true)))
        try tell(userd.fetchFact()) { [$0.fact.length == $0.fact.text.count, $0.freshness] }

        hang(true)
        for resource in Resource.allCases { try tell(userd.sync(Sync(resources: [resource]))) }
        try tell(userd.retry(Retry()))
        try tell(userd.cancel(Cancel(resources: [.users])))
        try tell(userd.cancel(Cancel(resources: [.facts])))
        hang(false)
        try tell(userd.getState()) { $0.states.map(text) }
        try tell(userd.history(History(resource: .users))) { $0.states.map(text) }

        let last = try userd.getState().decoded().states[0].index
        var watched: [String] = []
        try userd.watch(Watch(since: 1, resources: [.users])).forEach { reply in
            let state = try note(reply).state
            watched.append(text(state))
            return state.index < last ? .proceed : .stop
        }
        return Story(told: told + watched, replies: replies)
    }

    private static func text(_ state: State) -> String {
        var state = state
        state.epoch = "epoch"
        return "\n\(state)"
    }

    private static func withoutEpoch(_ text: String) -> String {
        ["epoch-1", "mock"].reduce(text) { $0.replacing("epoch: \"\($1)\"", with: "epoch") }
    }

    @Test("The mock client answers like userd")
    func mock() async throws {
        let isBroken = Mutex(false)
        let mocked = try await onThread {
            let userd = UserdClient.mock(
                isSynced: false, failure: { isBroken.withLock { $0 } ? Self.offline : nil }, now: { began })
            return try Self.story(userd, upstream: { now in isBroken.withLock { $0 = now } }, hang: { _ in })
        }
        try await Daemon.with(synced: false) { daemon in
            let real = try await onThread {
                try Self.story(
                    .live(socket: daemon.path),
                    upstream: { isBroken in
                        daemon.set(isBroken ? .error : .data)
                        // The next fact to be fetched is new.
                        daemon.upstream.withLock { $0.facts = [NewFact(text: "Cats purr.")] }
                    },
                    hang: { daemon.set($0 ? .hang : .data) })
            }
            #expect(mocked.told.count == real.told.count)
            for (mocked, real) in zip(mocked.told, real.told) { #expect(mocked == real) }
        }
        for reply in mocked.replies { try expect(reply.bytes, fits: reply.method) }
    }

    @Test(
        "A watcher of the mock client gets each transition, and progress on request",
        arguments: [true, false])
    func watchMock(progress: Bool) async throws {
        let userd = UserdClient.mock()
        let replies = try userd.watch(Watch(resources: [.users], progress: progress))
        let states = Channel<State>()
        let watching = Task {
            try await onThread {
                try replies.forEach { reply in
                    states.send(try reply.decoded().state)
                    return .proceed
                }
            }
        }
        #expect(try await states.receive().phase == .loaded)
        _ = try userd.sync(Sync(wait: true))
        #expect(try await states.receive().phase == .syncing)
        if progress {
            #expect(
                try await states.receive().progress
                    == Progress(done: User.samples.count, total: User.samples.count))
        }
        let last = try await states.receive()
        #expect(last.phase == .loaded && last.progress == nil)
        replies.interrupt()
        await #expect(throws: VarlinkClientError.interrupted) { try await watching.value }
    }

    @Test("The mock client's first sync succeeds, and without users its list is empty")
    func empty() async throws {
        let userd = UserdClient.mock(users: [], failure: { Self.offline })
        #expect(try userd.getState().decoded().states.map(\.phase) == [.empty, .loaded])
        #expect(try userd.listUsers(ListUsers()).decoded().users.isEmpty)
    }

    @Test("A sync with wait may take longer than other calls, and does not delay them")
    func patience() async throws {
        try await Daemon.with { daemon in
            daemon.set(.hang)
            let userd = UserdClient.live(socket: daemon.path)
            let impatient = UserdClient.live(socket: daemon.path, timeout: .milliseconds(1))
            let waiting = [userd, impatient].map { userd in
                Task {
                    try await onThread { try userd.sync(Sync(resources: [.users], wait: true)).decoded() }
                }
            }
            try await wait { await daemon.engine.waitingCount == 2 }
            let state = try await onThread { try userd.getState().decoded().states[0] }
            #expect(state.phase == .syncing)
            try await Task.sleep(for: .milliseconds(20))
            _ = try await onThread { try userd.cancel(Cancel()) }
            for task in waiting { #expect(try await task.value.states.map(\.cause) == [.cancelled]) }
        }
    }

    @Test("An endpoint of the unimplemented client reports its name")
    func unimplemented() throws {
        let reported = Mutex<[String]>([])
        let userd = UserdClient.unimplemented { call in reported.withLock { $0.append(call.endpoint) } }
        let calls: [() throws -> Any] = [
            { try userd.listUsers(ListUsers()) }, { try userd.listAllUsers(ListUsers()) },
            { try userd.getUser(GetUser(key: "")) }, { try userd.listManagers(ListManagers(key: "")) },
            { try userd.listReports(ListReports(key: "")) }, { try userd.getPicture(GetPicture(key: "")) },
            { try userd.getPictureSoon(GetPicture(key: "")) },
            { try userd.listFacts(ListFacts()) }, { try userd.listAllFacts(ListFacts()) },
            { try userd.randomFact(RandomFact()) }, { try userd.fetchFact() }, { try userd.getState() },
            { try userd.watch(Watch()) }, { try userd.history(History()) }, { try userd.sync(Sync()) },
            { try userd.retry(Retry()) }, { try userd.cancel(Cancel()) }, { try userd.getSettings() },
            { try userd.getSurvey() },
            { try userd.setPaused(SetPaused(paused: true)) }, { try userd.signIn(SignIn()) },
            { try userd.finishSignIn(FinishSignIn(redirect: "")) }, { try userd.signOut(SignOut()) },
        ]
        for call in calls { #expect(throws: Unimplemented.self) { try call() } }
        let endpoints = Mirror(reflecting: userd).children.compactMap(\.label)
        #expect(reported.withLock { $0 } == endpoints.map { "UserdClient.\($0)" })
    }
}
