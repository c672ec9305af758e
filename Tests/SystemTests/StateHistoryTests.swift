import DemoUpstream
import Model
import StateRecording
import TestSupport
import Testing
import UserdAPI

@Suite("State histories of the programs", .timeLimit(.hang))
struct StateHistoryTests {
    @Test("The programs go through the states that the machine prescribes", arguments: Scenario.all)
    func program(scenario: Scenario) async throws {
        try await onMachine(users: Scenario.Upstream.peopleCount) { machine in
            try await machine.startUserd(["paused": "true", "users.page_size": "100"])
            let recorder = try await StateRecorder(socket: machine.socket, .users)
            try await scenario.run(on: MachineWithUserd(machine: machine, recorder: recorder))
        }
    }
}

private struct MachineWithUserd: Stage {
    let machine: Machine
    let recorder: StateRecorder

    func upstream(_ upstream: Scenario.Upstream) async throws {
        let faults: [Fault] =
            switch upstream {
            case .people: []
            case .nobody: [Fault(.empty)]
            case .offline: [Fault(.down)]
            case .hangs: [Fault(.stall)]
            }
        try await machine.upstream.setFaults(faults)
    }

    func sync() async throws { _ = try await machine.call(.sync, Sync(resources: [.users])) }
    func retry() async throws { _ = try await machine.call(.retry, Retry(resources: [.users])) }
    func cancel() async throws { _ = try await machine.call(.cancel, Cancel(resources: [.users])) }
}
