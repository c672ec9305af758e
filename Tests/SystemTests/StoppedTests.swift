import Glibc
import Model
import TestSupport
import Testing
import UserctlKit
import UserdAPI

@Suite("A userd that is stopped and goes on", .timeLimit(.minutes(2)))
struct StoppedTests {
    @Test("Who follows it hears that it does not answer, and all that it has to tell once it goes on")
    func following() async throws {
        try await onMachine { machine in
            let daemon = try await machine.startUserd(["paused": "true"])
            let (timer, changes, indices) = (ManualTimer(), Channel<Silence.Change>(), Channel<Int>())
            let (socket, began) = (machine.socket, Timestamp(milliseconds: 0))
            detachThread {
                ThreadExecutor.runHere {
                    let silence = Silence(
                        connect: { .live(socket: socket, timeout: .seconds(1)) }, now: { began },
                        after: timer.after, tell: changes.send)
                    struct Over: Error {}
                    let watching = Watching(
                        watch: UserdClient.live(socket: socket).watch, sleep: { _ in throw Over() },
                        say: { _ in }, silence: silence)
                    try? await watching.run(Watch(resources: [.users])) { state, _ in
                        indices.send(state.index)
                    }
                }
            }
            #expect(try await indices.receive() == 0)
            // What has come counts, and then an answer.
            for _ in 0..<3 { try await onThread { timer.pass() } }
            daemon.send(SIGSTOP)
            try await onThread { timer.pass() }
            #expect(try await changes.receive() == .fellSilent(since: began))
            try await onThread { timer.pass() }
            daemon.send(SIGCONT)
            _ = try await machine.sync(.users)
            #expect(try await changes.receive() == .answers)
            #expect(try await [indices.receive(), indices.receive()] == [1, 2])
        }
    }
}
