import Model
import StateRecording
import Sync
import Synchronization
import TestSupport
import Testing
import Upstream
import UserdAPI

/// The same events lead to the same history from the pure machine, the engine and the socket.
@Suite("States that follow each other", .timeLimit(.hang))
struct StateHistoryTests {
    @Test("The machine makes the states of each scenario", arguments: Scenario.all)
    func machine(scenario: Scenario) async throws {
        try await scenario.run(on: MachineStage())
    }

    @Test("The engine reports the states of each scenario", arguments: Scenario.all)
    func engine(scenario: Scenario) async throws {
        try await Daemon.with(synced: false) { daemon in
            try await scenario.run(
                on: DaemonStage(daemon: daemon, recorder: StateRecorder(daemon.engine, .users)))
        }
    }

    @Test("The socket reports the states of each scenario", arguments: Scenario.all)
    func socket(scenario: Scenario) async throws {
        try await Daemon.with(synced: false) { daemon in
            try await scenario.run(
                on: DaemonStage(daemon: daemon, recorder: StateRecorder(socket: daemon.path, .users)))
        }
    }
}

private struct DaemonStage: Stage {
    let daemon: Daemon
    let recorder: StateRecorder

    func upstream(_ upstream: Scenario.Upstream) {
        daemon.upstream.withLock {
            $0.users = Array(User.samples.prefix(Scenario.Upstream.peopleCount))
            $0.behavior =
                switch upstream {
                case .people: .data
                case .nobody: .empty
                case .offline: .error
                case .hangs: .hang
                }
        }
    }

    func sync() async throws { _ = try await daemon.call(.sync, Sync(resources: [.users])) }
    func retry() async throws { _ = try await daemon.call(.retry, Retry(resources: [.users])) }
    func cancel() async throws { _ = try await daemon.call(.cancel, Cancel(resources: [.users])) }
}
