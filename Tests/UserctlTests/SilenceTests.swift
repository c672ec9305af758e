import Glibc
import MockDaemon
import Model
import Synchronization
import TestSupport
import Testing
import UserctlKit
import UserdAPI
import Varlink

/// A userd that is asked, and what is told of it.
private final class Rig: Sendable {
    private struct Contents {
        var answer: Result<Void, any Error> = .success(())
        var asked = 0
        var now = noon
        var told: [Silence.Change] = []
    }

    let timer = ManualTimer()
    private let contents = Mutex(Contents())

    var asked: Int { contents.withLock(\.asked) }
    var told: [Silence.Change] { contents.withLock(\.told) }

    func answer(_ answer: Result<Void, any Error>) { contents.withLock { $0.answer = answer } }

    func silence() -> Silence {
        Silence(
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

@Suite struct SilenceTests {
    private let rig = Rig()
    private let timedOut = Result<Void, any Error>.failure(VarlinkClientError.timedOut)

    @Test func `a userd is asked only where nothing has come of it for a while, and then once a while`() {
        let silence = rig.silence()
        silence.connected()
        silence.hear()
        rig.timer.pass()
        #expect(rig.asked == 0)
        rig.timer.pass()
        rig.timer.pass()
        #expect(rig.asked == 2)
        silence.hear()
        rig.timer.pass()
        #expect(rig.asked == 2)
        #expect(rig.told.isEmpty)
    }

    @Test func `one that lets two questions go by has fallen silent, and that is told once`() {
        let silence = rig.silence()
        silence.connected()
        silence.hear()
        rig.timer.pass()
        rig.timer.pass()
        rig.answer(timedOut)
        for _ in 0..<3 { rig.timer.pass() }
        // Heard of when it told something, and when it answered.
        #expect(rig.told == [.fellSilent(since: noon + .seconds(2))])
        #expect(rig.asked == 7)
        rig.answer(.success(()))
        for _ in 0..<3 { rig.timer.pass() }
        #expect(rig.told.dropFirst() == [.answers])
    }

    @Test func `one that never said a word is told of without a time`() {
        let silence = rig.silence()
        silence.connected()
        rig.answer(timedOut)
        rig.timer.pass()
        #expect(rig.told == [.fellSilent(since: nil)])
        silence.hear()
        #expect(rig.told == [.fellSilent(since: nil), .answers])
    }

    @Test func `between connections nothing is asked, and what was told of the last one is over`() {
        let silence = rig.silence()
        rig.answer(timedOut)
        rig.timer.pass()
        #expect(rig.asked == 0)
        silence.connected()
        rig.timer.pass()
        silence.disconnected()
        rig.timer.pass()
        #expect(rig.asked == 2)
        silence.connected()
        silence.hear()
        #expect(rig.told == [.fellSilent(since: nil)])
    }

    @Test func `a refusal is an answer, and a userd that is away is for others to tell of`() {
        let silence = rig.silence()
        silence.connected()
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

    @Test func `where nobody follows userd any more, nobody looks`() {
        var silence: Silence? = rig.silence()
        silence?.connected()
        rig.timer.pass()
        #expect(rig.asked == 1)
        silence = nil
        rig.timer.pass()
        #expect(rig.asked == 1)
        #expect(rig.timer.count == 0)
    }

    @Test(.timeLimit(.minutes(1)), arguments: [["watch"], ["status", "--watch"], ["wait"]])
    func `commands that follow userd say on stderr that it does not answer, and that it does again`(
        arguments: [String]
    ) async {
        let asked = Mutex(0)
        let isOver = Atomic(false)
        var userd = UserdClient.untouched
        userd.watch = { _ in
            RawReplies(forEach: { body in
                _ = try body(RawReply(WatchedState(state: loadedFacts), to: .watch))
                let limit = ContinuousClock.now + .seconds(20)
                while !isOver.load(ordering: .relaxed), ContinuousClock.now < limit { usleep(1000) }
                throw VarlinkClientError.violation("enough")
            })
        }
        userd.getState = {
            let count = asked.withLock { asked in
                asked += 1
                return asked
            }
            if count <= 3 { throw VarlinkClientError.timedOut }
            // By then all that was said of the answer before has been.
            if count > 4 { isOver.store(true, ordering: .relaxed) }
            return try UserdClient.mock().getState()
        }
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
