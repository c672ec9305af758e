import Model
import Sync
import TestSupport
import Testing

/// Performs a machine's actions, and throws if one is illegal.
private struct World {
    private(set) var running: Int?
    private(set) var phase = Phase.initial
    private(set) var hasNextStep = false
    private(set) var transitions = 0

    mutating func perform(_ action: Machine.Action) throws(Illegal) {
        switch action {
        case .record(let transition):
            guard
                transition.phase != phase || transition.cause == .cancelled
                    || transition.cause == .interrupted
            else { throw Illegal("recorded \(transition.phase) twice") }
            guard (transition.phase == .syncing) == [.due, .requested, .retried].contains(transition.cause)
            else {
                throw Illegal("\(transition.cause) led to \(transition.phase)")
            }
            guard (phase == .syncing) != (transition.phase == .syncing) else {
                throw Illegal("from \(phase) to \(transition.phase)")
            }
            phase = transition.phase
            hasNextStep = phase == .syncing
            transitions += 1
        case .startSync(let generation):
            guard running == nil else { throw Illegal("started while one runs") }
            guard phase == .syncing else { throw Illegal("started before it was written") }
            running = generation
        case .stopSync(let generation):
            guard running == generation else { throw Illegal("stopped a sync that does not run") }
            running = nil
        case .report:
            guard running != nil else { throw Illegal("progress without a sync") }
        case .schedule:
            guard phase != .syncing, running == nil else { throw Illegal("scheduled while one runs") }
            hasNextStep = true
        }
    }

    mutating func syncEnded() { running = nil }

    /// Simulates a kill: a running sync is lost, written transitions stay.
    mutating func killed() {
        running = nil
        hasNextStep = false
    }
}

private struct Illegal: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}

@Suite struct MachineWalkTests {
    @Test(
        "Any order of events leads to legal actions only, and always leaves a next step",
        arguments: 0..<UInt64(Volume.machineWalks)
    )
    func walk(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        var (machine, world) = (Machine(), World())
        for action in machine.handle(.restarted) { try world.perform(action) }
        for _ in 0..<200 {
            let event = pick(&random, machine, &world)
            if event == .restarted { machine = reborn(machine) }
            let isResult = isResultOfRunning(event, machine)
            if isResult { world.syncEnded() }
            for action in machine.handle(event) { try world.perform(action) }
            #expect(world.phase == machine.phase)
            #expect(world.hasNextStep, "no next step after \(event)")
            #expect(world.running == machine.runningGeneration)
            if case .error = machine.phase { #expect(machine.failures > 0) }
            if [.loaded, .empty].contains(machine.phase) { #expect(machine.failures == 0) }
        }
        #expect(world.transitions > 20)
    }

    private func pick(_ random: inout SeededRandom, _ machine: Machine, _ world: inout World) -> Machine.Event
    {
        // Some results are of a sync that has ended, or has not begun.
        let generation = machine.generation + ([0, 0, 0, -1, 1].randomElement(using: &random) ?? 0)
        let failure = Failure(kind: .offline, message: "", retryable: .random(using: &random))
        switch Int.random(in: 0..<12, using: &random) {
        case 0...3: return .wanted([.due, .requested, .retried].randomElement(using: &random) ?? .due)
        case 4...5: return .page(generation: generation, Progress(done: 1))
        case 6...7: return .committed(generation: generation, rows: .random(in: 0...2, using: &random))
        case 8...9: return .failed(generation: generation, failure)
        case 10: return .cancelled
        default:
            world.killed()
            return .restarted
        }
    }

    /// The machine as the engine restores it from the cache.
    private func reborn(_ machine: Machine) -> Machine {
        switch machine.position {
        case .resting(let rest): Machine(rest, failures: machine.failures)
        case .syncing(_, let before): Machine(syncingFrom: before, failures: machine.failures)
        }
    }

    private func isResultOfRunning(_ event: Machine.Event, _ machine: Machine) -> Bool {
        switch event {
        case .committed(let generation, _, _), .failed(let generation, _):
            generation == machine.runningGeneration
        default: false
        }
    }
}
