import DemoUpstream
import Foundation
import Glibc
import Model
import StrictJSON
import TestSupport
import Testing
import UserdAPI
import Varlink

@Suite("Watches that are resumed", .timeLimit(.hang))
struct ResumeTests {
    @Test("Across lost connections, restarts and kills a watch sees each transition once and in order")
    func resumes() async throws {
        let seed = UInt64.random(in: 0...UInt64(UInt32.max))
        print("Resumed watches: seed \(seed)")
        try await onMachine(users: 20) { machine in
            var random = SeededRandom(seed: seed)
            // A delay, so that most kills come in the middle of a sync.
            try await machine.upstream.setFaults([Fault(.delay(milliseconds: 50))])
            let settings = [
                "users.interval": "100ms", "facts.interval": "100ms", "retry.base": "100ms",
                "retry.cap": "100ms",
            ]
            var userd = try await machine.startUserd(settings)
            let reader = Reader(since: 0, epoch: nil)
            for round in 0..<15 {
                try await reader.read(.random(in: 1...20, using: &random), at: machine.socket)
                guard round % 3 > 0 else { continue }
                let signal = round % 3 == 1 ? SIGKILL : SIGTERM
                userd.send(signal)
                let end = try await userd.ended()
                #expect(end == (signal == SIGKILL ? .signalled(SIGKILL) : .exited(0)))
                userd = try await machine.startUserd(settings)
            }
            _ = try await machine.call(.setPaused, SetPaused(paused: true))
            _ = try await machine.call(.cancel, Cancel())
            let kept = try await machine.call(.history, History(limit: History.most)).states.reversed()
            try await reader.read(kept.count - reader.states.count, at: machine.socket)
            #expect(reader.states == Array(kept))
            #expect(reader.states.map(\.index) == Array(1...kept.count))
            // At least one kill interrupted a sync.
            #expect(reader.states.contains { $0.cause == .interrupted })
        }
    }

    @Test("A watch resumed after a short history or in a new cache is told which transitions there are")
    func gone() async throws {
        try await onMachine(users: 5) { machine in
            let paused = ["paused": "true"]
            var userd = try await machine.startUserd(paused)
            for _ in 0..<8 { _ = try await machine.sync(.users) }
            let epoch = try await machine.state(of: .users).epoch
            let reader = Reader(since: 4, epoch: epoch)
            try await reader.read(12, at: machine.socket)
            #expect(reader.states.map(\.index) == Array(5...16))
            userd.send(SIGTERM)
            try await userd.ended()

            userd = try await machine.startUserd(paused.merging(["limits.history": "10"]) { $1 })
            _ = try await machine.sync(.users)
            #expect(try await machine.call(.history, History()).states.map(\.index) == (9...18).reversed())
            let late = Reader(since: 4, epoch: epoch)
            await #expect(throws: UserdError.sequenceGone(epoch: epoch, oldest: 9, newest: 18)) {
                try await late.read(1, at: machine.socket)
            }
            try await reader.read(2, at: machine.socket)
            #expect(reader.states.suffix(2).map(\.index) == [17, 18])
            userd.send(SIGKILL)
            try await userd.ended()

            try FileManager.default.removeItem(atPath: machine.cacheDirectory)
            userd = try await machine.startUserd(paused)
            let state = try await machine.sync(.users)
            #expect(state.epoch != epoch && state.index == 2)
            await #expect(throws: UserdError.sequenceGone(epoch: state.epoch, oldest: 1, newest: 2)) {
                try await reader.read(1, at: machine.socket)
            }
            let another = Reader(since: 1, epoch: epoch)
            await #expect(throws: UserdError.sequenceGone(epoch: state.epoch, oldest: 1, newest: 2)) {
                try await another.read(1, at: machine.socket)
            }
        }
    }
}

/// Watches on several connections in turn, each of which continues after the last one's newest state.
final class Reader: @unchecked Sendable {
    // Confined to one task of a test at a time.
    private(set) var states: [State] = []
    private var since: Int
    private var epoch: String?

    init(since: Int, epoch: String?) {
        self.since = since
        self.epoch = epoch
    }

    /// Reads this many transitions over a new connection, and closes it. Throws `UserdError`.
    func read(_ count: Int, at socket: String) async throws {
        guard count > 0 else { return }
        let parameters = try encoded(Watch(since: since, epoch: epoch))
        let new = try await onThread {
            var new: [State] = []
            do {
                try VarlinkClient(path: socket).callMore(
                    UserdInterface.qualified("Watch"), parameters: parameters, timeout: .seconds(30)
                ) {
                    new.append(try decoded(WatchedState.self, from: Array($0.raw)).state)
                    return new.count < count ? .proceed : .stop
                }
            } catch let error as VarlinkError {
                if let error = UserdError(wire: error) { throw error }
                throw error
            }
            return new
        }
        states += new
        guard let last = states.last else { return }
        (since, epoch) = (last.index, last.epoch)
    }
}
