import MockDaemon
import Model
import Synchronization
import Testing
import UserdAPI
import Varlink

@testable import UserctlCommands

/// A script of connections, one after the other.
private final class Script: Sendable {
    enum UserdOrCache {
        /// Fails to connect.
        case refused(VarlinkClientError)
        /// Sends these states, then fails.
        case states([State], any Error)
    }

    struct Record: Sendable {
        var connections: [UserdOrCache]
        var asked: [Watch] = []
        var said: [String] = []
        var slept: [Duration] = []
        var shown: [Int] = []
    }

    private let record: Mutex<Record>

    var asked: [Watch] { record.withLock { $0.asked } }
    var said: [String] { record.withLock { $0.said } }
    var slept: [Duration] { record.withLock { $0.slept } }
    var shown: [Int] { record.withLock { $0.shown } }

    struct Over: Error {}

    init(_ connections: [UserdOrCache]) { record = Mutex(Record(connections: connections)) }

    /// Returns the error that ended the subscription.
    /// - Parameter count: the number of resources that have a state.
    func run(_ start: Watch, patience: Duration = .zero, count: Int = 2) async -> any Error {
        let watching = WatchSubscription(
            watch: { parameters in try self.connect(parameters) }, count: { count },
            sleep: { duration in self.record.withLock { $0.slept.append(duration) } },
            say: { words in self.record.withLock { $0.said.append(words) } }, patience: patience)
        do {
            try await watching.run(start) { state, _ in record.withLock { $0.shown.append(state.index) } }
        } catch {
            return error
        }
    }

    private func connect(_ parameters: Watch) throws -> RawReplies<WatchedState> {
        let connection = record.withLock { $0.connections.isEmpty ? nil : $0.connections.removeFirst() }
        switch connection {
        case nil: throw Over()
        case .refused(let error): throw error
        case .states(let states, let end):
            record.withLock { $0.asked.append(parameters) }
            return RawReplies(forEach: { body in
                for state in states {
                    #expect(try body(RawReply(WatchedState(state: state), to: .watch)) == .proceed)
                }
                throw end
            })
        }
    }
}

@Suite struct WatchSubscriptionTests {
    private func states(_ indices: Int...) -> [State] { indices.map { state(.users, .loaded, index: $0) } }

    @Test func `after a lost connection it resumes after the last index`() async {
        let script = Script([
            .states(states(8, 5), VarlinkClientError.closed), .states(states(9), VarlinkClientError.closed),
            .states([], VarlinkClientError.closed),
        ])
        #expect(await script.run(Watch(resources: [.users], progress: true)) is Script.Over)
        #expect(
            script.asked == [
                Watch(resources: [.users], progress: true),
                Watch(since: 8, epoch: "e", resources: [.users], progress: true),
                Watch(since: 9, epoch: "e", resources: [.users], progress: true),
            ])
        #expect(script.shown == [8, 5, 9])
    }

    @Test func `a lost connection and its return are each reported once`() async {
        let script = Script([
            .states(states(1), VarlinkClientError.closed), .refused(.refused(path: "s")),
            .refused(.noSocket(path: "s")), .states(states(2), Script.Over()),
        ])
        _ = await script.run(Watch())
        #expect(script.said == ["lost the connection to userd; reconnecting", "userd is back"])
    }

    @Test func `the delay doubles up to 5 seconds, and is reset by a reply`() async {
        let refused = Array(repeating: Script.UserdOrCache.refused(.refused(path: "s")), count: 6)
        let lost = Script.UserdOrCache.states(states(1), VarlinkClientError.closed)
        let script = Script([lost] + refused + [lost])
        _ = await script.run(Watch())
        #expect(
            script.slept == [
                .milliseconds(200), .milliseconds(400), .milliseconds(800), .milliseconds(1600),
                .milliseconds(3200), .seconds(5), .seconds(5), .milliseconds(200),
            ])
    }

    @Test(
        arguments: [VarlinkError.permissionDenied, UserdError.cacheUnavailable(message: "locked")]
            as [any Error])
    func `a temporary refusal is retried, and reported once`(
        refusal: any Error
    ) async {
        let script = Script([
            .states(states(1, 2), VarlinkClientError.closed), .states([], refusal), .states([], refusal),
            .states(states(3), Script.Over()),
        ])
        #expect(await script.run(Watch()) is Script.Over)
        #expect(script.asked.map(\.since) == [nil, 2, 2, 2])
        #expect(
            script.said == [
                "lost the connection to userd; reconnecting", "userd is back",
                "userd can't answer at the moment; trying again",
            ])
    }

    @Test func `a first connection that is refused ends it`() async {
        let script = Script([.states([], VarlinkError.permissionDenied)])
        #expect(await script.run(Watch()) as? VarlinkError == .permissionDenied)
    }

    @Test func `a connection lost before all first states is begun again`() async {
        let script = Script([
            .states(states(8), VarlinkClientError.closed), .states(states(8, 5), VarlinkClientError.closed),
            .states(states(9), Script.Over()),
        ])
        _ = await script.run(Watch())
        #expect(script.asked.map(\.since) == [nil, nil, 8])
    }

    @Test func `where a resource is turned off, it resumes after the first state of the other`() async {
        let script = Script([
            .states(states(8), VarlinkClientError.closed), .refused(.noSocket(path: "s")),
            .states(states(9), Script.Over()),
        ])
        _ = await script.run(Watch(), count: 1)
        #expect(script.asked.map(\.since) == [nil, 8])
    }

    @Test func `a first connection that fails ends it`() async {
        let script = Script([.refused(.noSocket(path: "s"))])
        #expect(await script.run(Watch()) as? VarlinkClientError == .noSocket(path: "s"))
    }

    @Test func `with patience it waits for a userd that is about to start`() async {
        let script = Script([
            .refused(.noSocket(path: "s")), .refused(.refused(path: "s")), .states(states(1), Script.Over()),
        ])
        #expect(await script.run(Watch(), patience: .milliseconds(500)) is Script.Over)
        #expect(script.slept == [.milliseconds(200), .milliseconds(200)])
        #expect(script.said == ["userd is not running; waiting for it to start"])
    }

    @Test func `patience ends, and is for a userd that is absent alone`() async {
        let absent = Array(repeating: Script.UserdOrCache.refused(.noSocket(path: "s")), count: 4)
        let script = Script(absent)
        #expect(
            await script.run(Watch(), patience: .milliseconds(500)) as? VarlinkClientError
                == .noSocket(path: "s"))
        #expect(script.slept == [.milliseconds(200), .milliseconds(200), .milliseconds(100)])
        let other = Script([.refused(.permissionDenied(path: "s"))])
        #expect(
            await other.run(Watch(), patience: .seconds(1)) as? VarlinkClientError
                == .permissionDenied(path: "s"))
    }

    @Test func `a connection that is closed before the first reply is of a userd that can't start`() async {
        let closed = Script.UserdOrCache.states([], VarlinkClientError.closed)
        let script = Script([closed, closed])
        #expect(await script.run(Watch()) as? VarlinkClientError == .closed)
        #expect(script.slept == [] && script.said == [])
        let patient = Script([closed, .refused(.refused(path: "s")), closed, closed])
        #expect(
            await patient.run(Watch(), patience: .milliseconds(500)) as? VarlinkClientError == .closed)
        #expect(patient.slept == [.milliseconds(200), .milliseconds(200), .milliseconds(100)])
        #expect(patient.said == ["userd is not running; waiting for it to start"])
    }

    @Test func `a lost permission ends it`() async {
        let script = Script([
            .states(states(1), VarlinkClientError.closed), .refused(.permissionDenied(path: "s")),
        ])
        #expect(await script.run(Watch()) as? VarlinkClientError == .permissionDenied(path: "s"))
    }

    @Test func `missing transitions are reported, and it starts with the current states`() async {
        let gone = UserdError.sequenceGone(epoch: "f", oldest: 100, newest: 200)
        let script = Script([.states([], gone), .states(states(200), Script.Over())])
        _ = await script.run(Watch(since: 41))
        #expect(script.asked == [Watch(since: 41), Watch()])
        #expect(
            script.said == [
                "transitions after #41 are no longer kept (available are #100 to #200); starting with the current states"
            ])
    }

    @Test func `a new cache is reported, and it starts with the current states`() async {
        let gone = UserdError.sequenceGone(epoch: "f", oldest: 1, newest: 50)
        let script = Script([.states([], gone), .states(states(50), Script.Over())])
        _ = await script.run(Watch(since: 41, epoch: "e"))
        #expect(script.asked == [Watch(since: 41, epoch: "e"), Watch()])
        #expect(
            script.said == [
                "userd has a new cache, with new numbers of transitions; starting with the current states"
            ])
    }

    @Test func `a second refusal ends it`() async {
        let gone = UserdError.sequenceGone(epoch: "f", oldest: 100, newest: 200)
        #expect(await Script([.states([], gone)]).run(Watch()) as? UserdError == gone)
    }

    @Test func `after falling behind it continues from there`() async {
        let behind = UserdError.fellBehind(epoch: "e", index: 30)
        let script = Script([.states(states(30), behind), .states(states(31), Script.Over())])
        _ = await script.run(Watch())
        #expect(script.asked.last == Watch(since: 30, epoch: "e"))
    }

    @Test func `a new epoch's index replaces the old one, even if smaller`() async {
        var renewed = state(.users, .initial, index: 0)
        renewed.epoch = "f"
        let script = Script([
            .states(states(8) + [renewed], VarlinkClientError.closed), .states([], Script.Over()),
        ])
        _ = await script.run(Watch())
        #expect(script.asked.last == Watch(since: 0, epoch: "f"))
    }

    @Test func `any other error ends it`() async {
        let error = VarlinkError.invalidParameter("since")
        #expect(await Script([.states([], error)]).run(Watch()) as? VarlinkError == error)
    }
}
