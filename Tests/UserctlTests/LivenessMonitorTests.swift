import Browse
import CommandSupport
import Commands
import Diagnostics
import Glibc
import MockDaemon
import Model
import Synchronization
import TestSupport
import Testing
import UserdAPI
import Varlink

/// A userd and the changes that a monitor reports.
private final class Rig: Sendable {
    private struct Contents {
        var answer: Result<Void, any Error> = .success(())
        var asked = 0
        var now = noon
        var told: [LivenessMonitor.Change] = []
    }

    let timer = ManualTimer()
    private let contents = Mutex(Contents())

    var asked: Int { contents.withLock(\.asked) }
    var told: [LivenessMonitor.Change] { contents.withLock(\.told) }

    func answer(_ answer: Result<Void, any Error>) { contents.withLock { $0.answer = answer } }

    func liveness() -> LivenessMonitor {
        LivenessMonitor(
            connect: {
                var userd = UserdClient.untouched
                userd.getState = {
                    try self.contents.withLock { contents in
                        contents.asked += 1
                        try contents.answer.get()
                    }
                    return try UserdClient.mock().getState()
                }
                return userd
            },
            now: {
                self.contents.withLock { contents in
                    contents.now = contents.now + .seconds(1)
                    return contents.now
                }
            },
            after: timer.after, tell: { change in self.contents.withLock { $0.told.append(change) } })
    }
}

@Suite struct LivenessMonitorTests {
    private let rig = Rig()
    private let timedOut = Result<Void, any Error>.failure(VarlinkClientError.timedOut)

    @Test func `userd is called once per interval without replies`() {
        let liveness = rig.liveness()
        liveness.connected()
        liveness.replied()
        rig.timer.pass()
        #expect(rig.asked == 0)
        rig.timer.pass()
        rig.timer.pass()
        #expect(rig.asked == 2)
        liveness.replied()
        rig.timer.pass()
        #expect(rig.asked == 2)
        #expect(rig.told.isEmpty)
    }

    @Test func `after two unanswered calls it is reported once as not answering`() {
        let liveness = rig.liveness()
        liveness.connected()
        liveness.replied()
        rig.timer.pass()
        rig.timer.pass()
        rig.answer(timedOut)
        for _ in 0..<3 { rig.timer.pass() }
        // Both a reply and an answer to a check count.
        #expect(rig.told == [.stoppedAnswering(since: noon + .seconds(2))])
        #expect(rig.asked == 7)
        rig.answer(.success(()))
        for _ in 0..<3 { rig.timer.pass() }
        #expect(rig.told.dropFirst() == [.answers])
    }

    @Test func `without any reply the report has no time`() {
        let liveness = rig.liveness()
        liveness.connected()
        rig.answer(timedOut)
        rig.timer.pass()
        #expect(rig.told == [.stoppedAnswering(since: nil)])
        liveness.replied()
        #expect(rig.told == [.stoppedAnswering(since: nil), .answers])
    }

    @Test func `without a connection userd is not called, and the state is reset`() {
        let liveness = rig.liveness()
        rig.answer(timedOut)
        rig.timer.pass()
        #expect(rig.asked == 0)
        liveness.connected()
        rig.timer.pass()
        liveness.disconnected()
        rig.timer.pass()
        #expect(rig.asked == 2)
        liveness.connected()
        liveness.replied()
        #expect(rig.told == [.stoppedAnswering(since: nil)])
    }

    @Test func `an error is an answer, and a failed connection is not reported`() {
        let liveness = rig.liveness()
        liveness.connected()
        for error in [VarlinkError.permissionDenied, VarlinkClientError.noSocket(path: "s")] as [any Error] {
            rig.answer(.failure(error))
            rig.timer.pass()
        }
        #expect(rig.told.isEmpty)
        rig.answer(timedOut)
        rig.timer.pass()
        rig.answer(.failure(VarlinkClientError.closed))
        rig.timer.pass()
        #expect(rig.told.count == 1)
        rig.answer(.failure(VarlinkError.permissionDenied))
        rig.timer.pass()
        #expect(rig.told.last == .answers)
    }

    @Test func `a released monitor stops its checks`() {
        var liveness: LivenessMonitor? = rig.liveness()
        liveness?.connected()
        rig.timer.pass()
        #expect(rig.asked == 1)
        liveness = nil
        rig.timer.pass()
        #expect(rig.asked == 1)
        #expect(rig.timer.count == 0)
    }

    @Test(.timeLimit(.hang), arguments: [["watch"], ["status", "--watch"], ["wait"]])
    func `commands that follow userd report on stderr when it stops answering and answers again`(
        arguments: [String]
    ) async {
        let asked = Mutex(0)
        let isOver = Atomic(false)
        let hasReplied = Atomic(false)
        let watching = Mutex<pthread_t?>(nil)
        var userd = UserdClient.untouched
        userd.watch = { _ in
            watching.withLock { $0 = pthread_self() }
            return RawReplies(forEach: { body in
                _ = try body(RawReply(WatchedState(state: loadedFacts), to: .watch))
                hasReplied.store(true, ordering: .relaxed)
                let limit = ContinuousClock.now + .seconds(50)
                while !isOver.load(ordering: .relaxed), ContinuousClock.now < limit { usleep(1000) }
                throw VarlinkClientError.violation("enough")
            })
        }
        userd.getState = {
            // The monitor's calls count after the first reply, which some commands answer with a call on their own thread.
            switch watching.withLock({ $0 }) {
            case nil: return try UserdClient.mock().getState()
            case pthread_self():
                hasReplied.store(true, ordering: .relaxed)
                return try UserdClient.mock().getState()
            default: while !hasReplied.load(ordering: .relaxed) { usleep(1000) }
            }
            let count = asked.withLock { asked in
                asked += 1
                return asked
            }
            // Of a question, which is two calls, that began before the first reply, nothing is said: enough for one more.
            if count <= 5 { throw VarlinkClientError.timedOut }
            // By then all that was said of the answer before has been.
            if count > 6 { isOver.store(true, ordering: .relaxed) }
            return try UserdClient.mock().getState()
        }
        userd.getSettings = { throw VarlinkClientError.closed }
        let ended = await userctl(
            arguments, userd: userd, after: { _, body in callLater(.milliseconds(1), body) })
        #expect(
            ended.errors.hasPrefix(
                """
                userctl: userd has not answered since 2026-03-04 12:00:00; waiting for it
                userctl: userd answers again
                userctl: the reply is not valid Varlink: enough

                """))
    }
}
