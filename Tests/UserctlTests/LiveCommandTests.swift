import Glibc
import MockDaemon
import Model
import Synchronization
import TestSupport
import Testing
import UserdAPI
import Varlink

@testable import UserctlCommands

/// A terminal that keeps what is written to it: each drawing is one write.
private final class Terminal: Sendable {
    private let written = Mutex<[String]>([])

    var drawings: [String] { written.withLock { $0 } }

    var output: Console.Output {
        Console.Output(width: 80, size: { (80, 24) }) { bytes in
            self.written.withLock { $0.append(String(decoding: bytes, as: UTF8.self)) }
        }
    }
}

/// Tests commands that redraw a terminal.
@Suite(.timeLimit(.hang)) struct LiveCommandTests {
    private let terminal = Terminal()

    private func userctl(_ arguments: [String], _ userd: UserdClient) async -> Int32 {
        let console = Console(
            environment: ["USERD_SOCKET": "/mock"], clock: clock, sleep: { _ in },
            output: terminal.output, errors: terminal.output, userd: { _ in userd })
        return await Console.$current.withValue(console) { await Userctl.execute(arguments) }
    }

    private func syncing(_ done: Int, of total: Int? = nil) -> State {
        state(.users, .syncing, index: 2, cause: .requested, progress: Progress(done: done, total: total))
    }

    /// States, then an open connection until the display closes it.
    private func watched(_ states: [State]) -> UserdClient.MoreCall<Watch, WatchedState> {
        { _ in
            let isOver = Atomic(false)
            return RawReplies(
                { body, whenIdle in
                    for state in states {
                        _ = try body(RawReply(WatchedState(state: state), to: .watch))
                        _ = try whenIdle?()
                    }
                    // The time has passed.
                    _ = try whenIdle?()
                    while !isOver.load(ordering: .relaxed) { usleep(1000) }
                    throw VarlinkClientError.interrupted
                }, interrupt: { isOver.store(true, ordering: .relaxed) })
        }
    }

    @Test func `sync --wait draws a bar, also without new reports, and clears it at the end`() async throws {
        var userd = UserdClient.mock()
        userd.watch = watched([syncing(0, of: 1000), syncing(200, of: 1000)])
        let terminal = terminal
        userd.sync = { _ in
            while terminal.drawings.count < 3 { usleep(1000) }
            return try RawReply(States(states: [loadedFacts]), to: .sync)
        }
        #expect(await userctl(["sync", "users", "--wait"], userd) == 0)
        let drawings = terminal.drawings
        try #require(drawings.count == 5)
        #expect(drawings[0].hasPrefix("users  ") && drawings[0].contains("waiting for upstream"))
        for redrawn in drawings[1...2] {
            #expect(redrawn.hasPrefix("\u{1B}[1Fusers  ") && redrawn.contains("200 of 1,000, page 1 of 5"))
        }
        #expect(drawings[3] == "\u{1B}[1F\u{1B}[J")
        #expect(drawings[4] == "facts  loaded   1 fact\n")
    }

    @Test func `sync --wait prints its progress a line a second where it can't redraw`() async throws {
        var userd = UserdClient.mock()
        let isSaid = Atomic(0)
        let reports = [syncing(200, of: 1000), syncing(400, of: 1000)]
        userd.watch = { _ in
            RawReplies(forEach: { body in
                for report in 0... {
                    guard isSaid.load(ordering: .relaxed) == 0 else { return }
                    _ = try body(RawReply(WatchedState(state: reports[min(report, 1)]), to: .watch))
                    usleep(1000)
                }
            })
        }
        let lines = Mutex<[String]>([])
        let console = Console(
            environment: ["USERD_SOCKET": "/mock"], clock: clock, sleep: { _ in },
            output: .init(send: { _ in }),
            errors: .init(send: { bytes in
                lines.withLock { $0.append(String(decoding: bytes, as: UTF8.self)) }
                isSaid.add(1, ordering: .relaxed)
            }), userd: { [userd] _ in userd })
        userd.sync = { _ in
            while isSaid.load(ordering: .relaxed) == 0 { usleep(1000) }
            return try RawReply(States(states: [loadedFacts]), to: .sync)
        }
        let asked = userd
        var waiting = console
        waiting.userd = { _ in asked }
        let code = await Console.$current.withValue(waiting) {
            await Userctl.execute(["sync", "users", "--wait"])
        }
        #expect(code == 0)
        let said = lines.withLock { $0 }
        #expect(said.count == 1)
        // The line is about the first report that comes after a second.
        let expected = ["userctl: users: 200 of 1,000", "userctl: users: 400 of 1,000"]
        #expect(expected.contains { said.first?.hasPrefix($0) == true }, "\(said)")
    }

    @Test func `status --watch redraws each change, each second, and that userd is gone`() async throws {
        var userd = UserdClient.mock()
        let answers = Mutex(0)
        userd.getState = {
            let number = answers.withLock { count in
                count += 1
                return count
            }
            guard number < 3 else { throw VarlinkClientError.refused(path: "s") }
            return try RawReply(
                DaemonState(
                    states: [number == 1 ? failedUsers : loadedFacts], paused: false, version: "1",
                    startedAt: noon), to: .getState)
        }
        let connections = Atomic(0)
        userd.watch = { asked in
            #expect(asked.progress == true)
            guard connections.add(1, ordering: .relaxed).newValue == 1 else {
                throw VarlinkClientError.permissionDenied(path: "s")
            }
            return RawReplies({ body, whenIdle in
                _ = try whenIdle?()
                _ = try body(RawReply(WatchedState(state: loadedFacts), to: .watch))
                #expect(try whenIdle?() == .seconds(1))
                throw VarlinkClientError.closed
            })
        }
        #expect(await userctl(["status", "--watch"], userd) != 0)
        let drawings = terminal.drawings
        try #require(drawings.count >= 3)
        #expect(drawings[0].contains("connection refused") && !drawings[0].hasPrefix("\u{1B}"))
        #expect(drawings[1].hasPrefix("\u{1B}[") && drawings[1].contains("1 fact"))
        #expect(drawings[2].contains("userd is not running; it last answered at "))
    }
}
