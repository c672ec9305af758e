import Glibc
import Model
import Platform
import Synchronization
import TestSupport
import Testing
import UserdAPI

@testable import UserctlCommands

private final class Told: Sendable {
    private let changes = Mutex<[Liveness.Change]>([])

    var last: Liveness.Change? { changes.withLock(\.last) }
    @Sendable func add(_ change: Liveness.Change) { changes.withLock { $0.append(change) } }
}

@Suite("A userd that is stopped and continues", .timeLimit(.hang))
struct StoppedTests {
    @Test(
        "A watcher of a stopped userd is told that it does not answer, and gets all states once it continues")
    func following() async throws {
        try await onMachine { machine in
            let daemon = try await machine.startUserd(["paused": "true"])
            let indices = Channel<Int>()
            let told = Told()
            let (socket, began) = (machine.socket, Timestamp(milliseconds: 0))
            _ = startThread("watch") {
                ThreadExecutor.runHere {
                    let liveness = Liveness(
                        connect: { .live(socket: socket, timeout: .seconds(1)) }, now: { began },
                        interval: .milliseconds(10), tell: told.add)
                    struct Over: Error {}
                    let watching = WatchSubscription(
                        watch: UserdClient.live(socket: socket).watch, sleep: { _ in throw Over() },
                        say: { _ in }, liveness: liveness)
                    try? await watching.run(Watch(resources: [.users])) { state, _ in
                        indices.send(state.index)
                    }
                }
            }
            #expect(try await indices.receive() == 0)
            daemon.send(SIGSTOP)
            try await wait { told.last == .stoppedAnswering(since: began) }
            daemon.send(SIGCONT)
            _ = try await machine.sync(.users)
            try await wait { told.last == .answers }
            #expect(try await [indices.receive(), indices.receive()] == [1, 2])
        }
    }

    @Test("status --watch shows when a stopped userd last answered, until it answers again")
    func drawnStatus() async throws {
        try await onMachine { machine in
            let daemon = try await machine.startUserd(["paused": "true"])
            try await TerminalWindow.open(on: machine) { window in
                try await window.shell("\(Program.userctl.path) status --watch")
                try await window.screen(with: "Users", "userd \(version), started")
                daemon.send(SIGSTOP)
                let screen = try await window.screen(with: "userd does not answer; it last answered at 20")
                #expect(screen.contains("Users") && !screen.contains("started"))
                daemon.send(SIGCONT)
                try await window.screen { $0.contains("started") && !$0.contains("does not answer") }
            }
        }
    }

    @Test("Requests to a stopped userd time out with 75, and may be done once it continues")
    func waiting() async throws {
        try await onMachine { machine in
            let daemon = try await machine.startUserd(["paused": "true"])
            daemon.send(SIGSTOP)
            // Each waits for some seconds, so they run at once.
            try await withThrowingTaskGroup { group in
                for command in [["sync", "--wait"], ["fact", "--new"], ["pause"]] {
                    group.addTask { (command, try await machine.userctl(command)) }
                }
                for try await (command, result) in group {
                    #expect(result.code == 75, "\(command)")
                    #expect(
                        result.errors == """
                            userctl: userd did not answer in time; it may still do what was asked
                            userctl: `userctl status` shows what it does; `journalctl --user -u userd` may say why

                            """, "\(command)")
                }
            }
        }
    }
}
