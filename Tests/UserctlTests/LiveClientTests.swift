import Model
import Synchronization
import TestSupport
import Testing
import UserdAPI
import Varlink

/// Tests `UserdClient.live` with unusual answers.
@Suite(.timeLimit(.hang)) struct LiveClientTests {
    private func user(_ name: String) -> String {
        #"{"user":{"id":"1","name":\#(name),"address":{}},"freshness":{"phase":"loaded","stale":false}}"#
    }

    private func call<Output: Sendable>(
        _ daemon: StubDaemon, _ body: @escaping @Sendable (UserdClient) throws -> Output
    ) async throws -> Output {
        let path = daemon.path
        return try await onThread { try body(.live(socket: path)) }
    }

    @Test(arguments: [
        (#"{"first":"a"}"#, "user.name.last is missing"),
        (#"{"first":"a","last":null}"#, "user.name.last is null"),
        (#"{"first":1,"last":"b"}"#, "user.name.first has the wrong type"),
        (#""Anna""#, "user.name has the wrong type"),
    ])
    func `an answer that is not what the interface says is told with its method and the place`(
        name: String, reason: String
    ) async throws {
        let daemon = try StubDaemon(["GetUser": .reply(user(name))])
        await #expect(throws: InvalidReply(method: "io.userd.GetUser", reason: reason)) {
            try await call(daemon) { try $0.getUser(GetUser(key: "x")).decoded() }
        }
    }

    @Test func `an unknown value is reported without quoting it`() async throws {
        let states = #"{"states":[{"epoch":"e","index":1,"resource":"users","phase":"\u001b[31m"}]}"#
        let daemon = try StubDaemon(["History": .reply(states)])
        let expected = InvalidReply(
            method: "io.userd.History", reason: "states.0.phase has an unknown value")
        await #expect(throws: expected) { try await call(daemon) { try $0.history(History()).decoded() } }
    }

    @Test func `unknown members are kept`() async throws {
        let reply = user(#"{"first":"a","last":"b","nick":"c"}"#)
        let daemon = try StubDaemon(["GetUser": .reply(reply)])
        let got = try await call(daemon) { try $0.getUser(GetUser(key: "x")) }
        #expect(try got.decoded().user.name == User.Name(first: "a", last: "b"))
        #expect(String(decoding: got.bytes, as: UTF8.self) == reply)
    }

    @Test func `an optional picture has a short timeout`() async throws {
        let daemon = try StubDaemon([:])
        let path = daemon.path
        await #expect(throws: VarlinkClientError.timedOut) {
            try await onThread {
                try UserdClient.live(socket: path, moment: .milliseconds(20))
                    .getPictureSoon(GetPicture(key: "x"))
            }
        }
    }

    @Test func `errors of io.userd are UserdError, others stay VarlinkError`() async throws {
        let daemon = try StubDaemon([
            "RandomFact": .error("io.userd.NoFacts"), "History": .error("io.userd.Unheard"),
            "GetUser": .error("io.userd.NotFound"),
            "Watch": .error("io.userd.FellBehind", #"{"epoch":"e","index":3}"#),
        ])
        await #expect(throws: UserdError.noFacts) {
            try await call(daemon) { try $0.randomFact(RandomFact()) }
        }
        await #expect(throws: VarlinkError(name: "io.userd.Unheard")) {
            try await call(daemon) { try $0.history(History()) }
        }
        await #expect(throws: VarlinkError(name: "io.userd.NotFound")) {
            try await call(daemon) { try $0.getUser(GetUser(key: "x")) }
        }
        await #expect(throws: UserdError.fellBehind(epoch: "e", index: 3)) {
            try await call(daemon) { try $0.watch(Watch()).forEach { _ in .proceed } }
        }
    }

    @Test func `calls share a connection, except after a call without an answer`()
        async throws
    {
        let daemon = try StubDaemon([
            "GetState": .init(messages: [], then: .hangUp), "SetPaused": .reply("{}"),
        ])
        let outcome = try await call(daemon) { userd in
            for paused in [true, false] { _ = try userd.setPaused(SetPaused(paused: paused)) }
            let outcome = Result { try userd.getState().bytes }
            _ = try userd.setPaused(SetPaused(paused: true))
            return outcome
        }
        #expect(throws: VarlinkClientError.closed) { try outcome.get() }
        // The kept connection, that of GetState's second attempt, and the next one.
        #expect(daemon.connectionCount == 3)
    }

    @Test func `a closed connection is reopened for the next call`()
        async throws
    {
        let daemon = try StubDaemon(["SetPaused": .init(messages: [#"{"parameters":{}}"#], then: .hangUp)])
        try await call(daemon) { userd in
            for paused in [true, false, true] { _ = try userd.setPaused(SetPaused(paused: paused)) }
        }
        #expect(daemon.connectionCount == 3)
    }

    @Test func `after a reply that belongs to no call, the next call has a connection of its own`()
        async throws
    {
        let reply = #"{"parameters":{}}"#
        let daemon = try StubDaemon(["SetPaused": .init(messages: [reply + "\0" + reply], then: .goOn)])
        try await call(daemon) { userd in
            _ = try userd.setPaused(SetPaused(paused: true))
            #expect(throws: VarlinkClientError.violation("an unexpected reply")) {
                try userd.setPaused(SetPaused(paused: true))
            }
            _ = try userd.setPaused(SetPaused(paused: true))
        }
        #expect(daemon.connectionCount == 2)
    }

    @Test func `a call answered from the cache has a timeout`() async throws {
        let daemon = try StubDaemon([:])
        await #expect(throws: VarlinkClientError.timedOut) {
            try await onThread {
                try UserdClient.live(socket: daemon.path, timeout: .milliseconds(10)).getState()
            }
        }
    }

    @Test(arguments: ["Sync", "Retry", "FetchFact"])
    func `a call that waits ends when userd answers no other call either`(method: String) async throws {
        let daemon = try StubDaemon(["GetPicture": .reply("{}")])
        let path = daemon.path
        await #expect(throws: VarlinkClientError.timedOut) {
            try await onThread {
                let userd = UserdClient.live(
                    socket: path, timeout: .milliseconds(10), interval: .milliseconds(1))
                switch method {
                case "Sync": _ = try userd.sync(Sync(wait: true))
                case "Retry": _ = try userd.retry(Retry(wait: true))
                default: _ = try userd.fetchFact()
                }
            }
        }
        // Its own connection, and two that ask for the state.
        try await wait { daemon.connectionCount == 3 }
    }

    @Test func `replies are consumed once, as many as wanted`() async throws {
        let reply = String(decoding: try encoded(WatchedState(state: loadedFacts)), as: UTF8.self)
        let daemon = try StubDaemon(["Watch": .replies([reply, reply, reply])])
        let (count, again) = try await call(daemon) { userd in
            let replies = try userd.watch(Watch())
            var count = 0
            try replies.forEach { _ in
                count += 1
                return count == 2 ? .stop : .proceed
            }
            return (count, Result { try replies.forEach { _ in .proceed } })
        }
        #expect(count == 2)
        #expect(throws: VarlinkClientError.closed) { try again.get() }
    }

    @Test func `a subscription can be interrupted, before it starts and while it waits`()
        async throws
    {
        let reply = String(decoding: try encoded(WatchedState(state: loadedFacts)), as: UTF8.self)
        let daemon = try StubDaemon([
            "Watch": .init(messages: [#"{"parameters":\#(reply),"continues":true}"#], then: .goOn)
        ])
        await #expect(throws: VarlinkClientError.interrupted) {
            try await call(daemon) { userd in
                let early = try userd.watch(Watch())
                early.interrupt()
                try early.forEach { _ in .proceed }
            }
        }
        let replies = try await call(daemon) { try $0.watch(Watch()) }
        let come = Channel<Void>()
        let following = Task {
            try await onThread {
                try replies.forEach { _ in
                    come.send(())
                    return .proceed
                }
            }
        }
        try await come.receive()
        replies.interrupt()
        await #expect(throws: VarlinkClientError.interrupted) { try await following.value }
    }
}
