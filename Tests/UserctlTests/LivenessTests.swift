import MockDaemon
import Model
import Synchronization
import TestSupport
import Testing
import UserdAPI
import Varlink

@testable import UserctlCommands

/// A fake userd, and the reported changes.
private final class Rig {
    private(set) var told: [Liveness.Change] = []
    private(set) var asked = 0
    private var now = noon
    var answer: Result<Void, any Error> = .success(())

    func liveness(interval: Duration = .zero) -> Liveness {
        Liveness(
            connect: {
                self.asked += 1
                let answer = self.answer.mapError { $0 as any Error }
                var userd = UserdClient.untouched
                userd.getState = {
                    try answer.get()
                    return try UserdClient.mock().getState()
                }
                return userd
            },
            now: {
                self.now = self.now + .seconds(1)
                return self.now
            }, interval: interval, tell: { self.told.append($0) })
    }
}

@Suite struct LivenessTests {
    private let rig = Rig()
    private let timedOut = Result<Void, any Error>.failure(VarlinkClientError.timedOut)

    @Test func `userd is called only after an interval without replies`() {
        let long = rig.liveness(interval: .seconds(1000))
        long.connected()
        #expect(long.check() > .seconds(900))
        long.replied()
        #expect(long.check() > .seconds(900))
        #expect(rig.asked == 0)
        let none = rig.liveness()
        none.connected()
        for _ in 0..<2 { #expect(none.check() == .zero) }
        #expect(rig.asked == 2)
        #expect(rig.told.isEmpty)
    }

    @Test func `a userd that does not answer is reported once`() {
        let liveness = rig.liveness()
        liveness.connected()
        liveness.replied()
        _ = liveness.check()
        rig.answer = timedOut
        for _ in 0..<3 { _ = liveness.check() }
        // Both a reply and an answer to a check count.
        #expect(rig.told == [.stoppedAnswering(since: noon + .seconds(2))])
        rig.answer = .success(())
        for _ in 0..<3 { _ = liveness.check() }
        #expect(rig.told.dropFirst() == [.answers])
    }

    @Test func `without any reply the report has no time`() {
        let liveness = rig.liveness()
        liveness.connected()
        rig.answer = timedOut
        _ = liveness.check()
        #expect(rig.told == [.stoppedAnswering(since: nil)])
        liveness.replied()
        #expect(rig.told == [.stoppedAnswering(since: nil), .answers])
    }

    @Test func `a new connection resets the state`() {
        let liveness = rig.liveness()
        rig.answer = timedOut
        liveness.connected()
        _ = liveness.check()
        liveness.connected()
        liveness.replied()
        #expect(rig.told == [.stoppedAnswering(since: nil)])
    }

    @Test func `an error is an answer, and a failed connection is not reported`() {
        let liveness = rig.liveness()
        liveness.connected()
        for error in [VarlinkError.permissionDenied, VarlinkClientError.noSocket(path: "s")] as [any Error] {
            rig.answer = .failure(error)
            _ = liveness.check()
        }
        #expect(rig.told.isEmpty)
        rig.answer = timedOut
        _ = liveness.check()
        rig.answer = .failure(VarlinkClientError.closed)
        _ = liveness.check()
        #expect(rig.told.count == 1)
        rig.answer = .failure(VarlinkError.permissionDenied)
        _ = liveness.check()
        #expect(rig.told.last == .answers)
    }

    @Test func `the call is made twice before userd counts as silent`() {
        let asked = Mutex(0)
        var userd = UserdClient.untouched
        userd.getState = {
            asked.withLock { $0 += 1 }
            throw VarlinkClientError.timedOut
        }
        #expect(userd.answers == false)
        #expect(asked.withLock { $0 } == 2)
    }

    @Test func `a subscription checks it while it waits, and says what it is told`() async {
        var userd = UserdClient.untouched
        userd.watch = { _ in
            RawReplies({ body, whenIdle in
                _ = try body(RawReply(WatchedState(state: loadedFacts), to: .watch))
                for _ in 0..<2 { #expect(try whenIdle?() == .zero) }
                _ = try body(RawReply(WatchedState(state: loadedFacts), to: .watch))
                throw VarlinkClientError.violation("enough")
            })
        }
        rig.answer = timedOut
        let watching = WatchSubscription(
            watch: userd.watch, sleep: { _ in }, say: { _ in }, liveness: rig.liveness())
        _ = try? await watching.run(Watch()) { _, _ in }
        #expect(rig.told == [.stoppedAnswering(since: noon + .seconds(1)), .answers])
    }

    @Test func `the report on stderr says since when`() async {
        let errors = Mutex("")
        let isAnswering = Mutex(true)
        var userd = UserdClient.untouched
        userd.getState = {
            guard isAnswering.withLock({ $0 }) else { throw VarlinkClientError.timedOut }
            return try UserdClient.mock().getState()
        }
        let client = userd
        let console = Console(
            environment: ["USERD_SOCKET": "/mock"], clock: clock, sleep: { _ in },
            output: .init(send: { _ in }),
            errors: .init(send: { bytes in errors.withLock { $0 += String(decoding: bytes, as: UTF8.self) } }
            ),
            userd: { _ in client })
        let liveness = console.liveness(Paths(), interval: .zero)
        liveness.connected()
        liveness.replied()
        isAnswering.withLock { $0 = false }
        _ = liveness.check()
        isAnswering.withLock { $0 = true }
        _ = liveness.check()
        #expect(
            errors.withLock { $0 } == """
                userctl: userd has not answered since 2026-03-04 12:00:00; waiting for it
                userctl: userd answers again

                """)
    }

    @Test(.timeLimit(.hang), arguments: [["watch"], ["status", "--watch"], ["wait"]])
    func `commands that follow userd look whether it still answers`(arguments: [String]) async {
        let next = Mutex<Duration?>(nil)
        var userd = UserdClient.untouched
        userd.getState = UserdClient.mock().getState
        userd.getSettings = { throw VarlinkClientError.closed }
        userd.watch = { _ in
            RawReplies({ body, whenIdle in
                _ = try body(RawReply(WatchedState(state: loadedFacts), to: .watch))
                try next.withLock { $0 = try whenIdle?() }
                throw VarlinkClientError.violation("enough")
            })
        }
        let ended = await userctl(arguments, userd: userd)
        #expect(ended.errors.hasPrefix("userctl: the reply is not valid Varlink: enough\n"))
        let wait = next.withLock { $0 } ?? .zero
        #expect(wait > .zero && wait <= .seconds(15))
    }
}
