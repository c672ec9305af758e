import Model
import Testing

@testable import Sync

private let offline = Failure(kind: .offline, message: "no route", retryable: true, attempts: 3)
private let refused = Failure(kind: .decode, message: "no list", retryable: false, attempts: 1)
private let stopped = Failure(
    kind: .cancelled, message: "the sync was stopped on request", retryable: true, attempts: 1)
private let ended = Failure(
    kind: .interrupted, message: "userd ended during the sync", retryable: true, attempts: 1)

private func offline(attempts: Int) -> Failure {
    Failure(kind: .offline, message: "no route", retryable: true, attempts: attempts)
}
private func refused(attempts: Int) -> Failure {
    Failure(kind: .decode, message: "no list", retryable: false, attempts: attempts)
}

/// A row of the table: the effect of an event on a machine.
struct MachineRow: Sendable, CustomTestStringConvertible {
    var name: String
    var from: Machine
    var event: Machine.Event
    var position: Machine.Position
    var actions: [Machine.Action]
    var failures = 0

    var testDescription: String { name }
}

/// A machine in the sync of generation 2, which began in this state.
private func syncing(from rest: Machine.RestState, failures: Int = 0) -> Machine {
    var machine = Machine(rest, failures: failures)
    _ = machine.handle(.wanted(.due))
    _ = machine.handle(.cancelled)
    _ = machine.handle(.wanted(.due))
    return machine
}

private func underOtherSettings(_ machine: Machine) -> Machine {
    var machine = machine
    machine.beginAnew()
    return machine
}
private let resting: [MachineRow] = [
    MachineRow(
        name: "loaded, turned off", from: Machine(.loaded), event: .turnedOff,
        position: .resting(.loaded),
        actions: [.record(Transition(phase: .loaded, cause: .turnedOff)), .schedule(.afterInterval)]),
    MachineRow(
        name: "initial, wanted", from: Machine(), event: .wanted(.due),
        position: .syncing(generation: 1, before: .initial),
        actions: [.record(Transition(phase: .syncing, cause: .due)), .startSync(generation: 1)]),
    MachineRow(
        name: "loaded, wanted", from: Machine(.loaded), event: .wanted(.requested),
        position: .syncing(generation: 1, before: .loaded),
        actions: [.record(Transition(phase: .syncing, cause: .requested)), .startSync(generation: 1)]),
    MachineRow(
        name: "empty, wanted", from: Machine(.empty), event: .wanted(.due),
        position: .syncing(generation: 1, before: .empty),
        actions: [.record(Transition(phase: .syncing, cause: .due)), .startSync(generation: 1)]),
    MachineRow(
        name: "error, wanted", from: Machine(.error(offline), failures: 3), event: .wanted(.retried),
        position: .syncing(generation: 1, before: .error(offline)),
        actions: [.record(Transition(phase: .syncing, cause: .retried)), .startSync(generation: 1)],
        failures: 3),

    MachineRow(
        name: "initial, restarted", from: Machine(), event: .restarted,
        position: .resting(.initial), actions: [.schedule(.atOnce)]),
    MachineRow(
        name: "loaded, restarted", from: Machine(.loaded), event: .restarted,
        position: .resting(.loaded), actions: [.schedule(.asBefore)]),
    MachineRow(
        name: "empty, restarted", from: Machine(.empty), event: .restarted,
        position: .resting(.empty), actions: [.schedule(.asBefore)]),
    MachineRow(
        name: "error, restarted", from: Machine(.error(offline), failures: 3), event: .restarted,
        position: .resting(.error(offline)), actions: [.schedule(.asBefore)], failures: 3),
    MachineRow(
        name: "error that is not retryable, restarted",
        from: Machine(.error(refused), failures: 1), event: .restarted,
        position: .resting(.error(refused)), actions: [.schedule(.atOnce)], failures: 1),

    MachineRow(
        name: "initial, page", from: Machine(), event: .page(generation: 0, Progress(done: 1)),
        position: .resting(.initial), actions: []),
    MachineRow(
        name: "loaded, page", from: Machine(.loaded), event: .page(generation: 0, Progress(done: 1)),
        position: .resting(.loaded), actions: []),
    MachineRow(
        name: "empty, page", from: Machine(.empty), event: .page(generation: 0, Progress(done: 1)),
        position: .resting(.empty), actions: []),
    MachineRow(
        name: "error, page", from: Machine(.error(refused), failures: 1),
        event: .page(generation: 0, Progress(done: 1)),
        position: .resting(.error(refused)), actions: [], failures: 1),

    MachineRow(
        name: "initial, committed", from: Machine(), event: .committed(generation: 0, rows: 1),
        position: .resting(.initial), actions: []),
    MachineRow(
        name: "loaded, committed", from: Machine(.loaded), event: .committed(generation: 0, rows: 1),
        position: .resting(.loaded), actions: []),
    MachineRow(
        name: "empty, committed", from: Machine(.empty), event: .committed(generation: 0, rows: 1),
        position: .resting(.empty), actions: []),
    MachineRow(
        name: "error, committed", from: Machine(.error(refused), failures: 1),
        event: .committed(generation: 0, rows: 1),
        position: .resting(.error(refused)), actions: [], failures: 1),

    MachineRow(
        name: "initial, failed", from: Machine(), event: .failed(generation: 0, offline),
        position: .resting(.initial), actions: []),
    MachineRow(
        name: "loaded, failed", from: Machine(.loaded), event: .failed(generation: 0, offline),
        position: .resting(.loaded), actions: []),
    MachineRow(
        name: "empty, failed", from: Machine(.empty), event: .failed(generation: 0, offline),
        position: .resting(.empty), actions: []),
    MachineRow(
        name: "error, failed", from: Machine(.error(refused), failures: 1),
        event: .failed(generation: 0, offline),
        position: .resting(.error(refused)), actions: [], failures: 1),

    MachineRow(
        name: "initial, cancelled", from: Machine(), event: .cancelled,
        position: .resting(.initial), actions: []),
    MachineRow(
        name: "loaded, cancelled", from: Machine(.loaded), event: .cancelled,
        position: .resting(.loaded), actions: []),
    MachineRow(
        name: "empty, cancelled", from: Machine(.empty), event: .cancelled,
        position: .resting(.empty), actions: []),
    MachineRow(
        name: "error, cancelled", from: Machine(.error(refused), failures: 1), event: .cancelled,
        position: .resting(.error(refused)), actions: [], failures: 1),
]

private let running: [MachineRow] = [
    MachineRow(
        name: "syncing, wanted", from: syncing(from: .loaded), event: .wanted(.requested),
        position: .syncing(generation: 2, before: .loaded), actions: []),

    MachineRow(
        name: "syncing, page", from: syncing(from: .loaded),
        event: .page(generation: 2, Progress(done: 5, total: 9)),
        position: .syncing(generation: 2, before: .loaded), actions: [.report(Progress(done: 5, total: 9))]),
    MachineRow(
        name: "syncing, page of an older sync", from: syncing(from: .loaded),
        event: .page(generation: 1, Progress(done: 5)),
        position: .syncing(generation: 2, before: .loaded), actions: []),

    MachineRow(
        name: "syncing, committed with rows", from: syncing(from: .error(offline), failures: 3),
        event: .committed(generation: 2, rows: 1, Changes(added: 1, removed: 2)),
        position: .resting(.loaded),
        actions: [
            .record(Transition(phase: .loaded, cause: .committed(Changes(added: 1, removed: 2)))),
            .schedule(.afterInterval),
        ]),
    MachineRow(
        name: "syncing, committed without rows", from: syncing(from: .loaded),
        event: .committed(generation: 2, rows: 0),
        position: .resting(.empty),
        actions: [.record(Transition(phase: .empty, cause: .committed())), .schedule(.afterInterval)]),
    MachineRow(
        name: "syncing, committed by an older sync", from: syncing(from: .loaded),
        event: .committed(generation: 1, rows: 1),
        position: .syncing(generation: 2, before: .loaded), actions: []),
    MachineRow(
        name: "syncing, committed by a sync that has not begun", from: syncing(from: .loaded),
        event: .committed(generation: 3, rows: 1),
        position: .syncing(generation: 2, before: .loaded), actions: []),

    MachineRow(
        name: "syncing, failed for the first time", from: syncing(from: .loaded),
        event: .failed(generation: 2, offline(attempts: 1)),
        position: .resting(.error(offline(attempts: 1))),
        actions: [
            .record(Transition(phase: .error, cause: .failed, failure: offline(attempts: 1))),
            .schedule(.afterBackoff(attempt: 1)),
        ], failures: 1),
    MachineRow(
        name: "syncing, failed again", from: syncing(from: .error(offline), failures: 3),
        event: .failed(generation: 2, offline(attempts: 1)),
        position: .resting(.error(offline(attempts: 4))),
        actions: [
            .record(Transition(phase: .error, cause: .failed, failure: offline(attempts: 4))),
            .schedule(.afterBackoff(attempt: 4)),
        ], failures: 4),
    MachineRow(
        name: "syncing, failed in another way: the attempts begin anew, the wait goes on",
        from: syncing(from: .error(refused(attempts: 8)), failures: 8),
        event: .failed(generation: 2, offline(attempts: 1)),
        position: .resting(.error(offline(attempts: 1))),
        actions: [
            .record(Transition(phase: .error, cause: .failed, failure: offline(attempts: 1))),
            .schedule(.afterBackoff(attempt: 9)),
        ], failures: 9),
    MachineRow(
        name: "syncing, failed in the same way under other settings",
        from: underOtherSettings(syncing(from: .error(offline), failures: 3)),
        event: .failed(generation: 2, offline(attempts: 1)),
        position: .resting(.error(offline(attempts: 1))),
        actions: [
            .record(Transition(phase: .error, cause: .failed, failure: offline(attempts: 1))),
            .schedule(.afterBackoff(attempt: 1)),
        ], failures: 1),
    MachineRow(
        name: "syncing, failed and not retryable", from: syncing(from: .initial),
        event: .failed(generation: 2, refused),
        position: .resting(.error(refused(attempts: 1))),
        actions: [
            .record(Transition(phase: .error, cause: .failed, failure: refused(attempts: 1))),
            .schedule(.afterInterval),
        ], failures: 1),
    MachineRow(
        name: "syncing, failed in an older sync", from: syncing(from: .loaded),
        event: .failed(generation: 1, offline),
        position: .syncing(generation: 2, before: .loaded), actions: []),

    MachineRow(
        name: "syncing from initial, cancelled", from: syncing(from: .initial), event: .cancelled,
        position: .resting(.initial),
        actions: [
            .stopSync(generation: 2),
            .record(Transition(phase: .initial, cause: .cancelled, failure: stopped)),
            .schedule(.afterInterval),
        ]),
    MachineRow(
        name: "syncing from error, cancelled", from: syncing(from: .error(refused), failures: 1),
        event: .cancelled,
        position: .resting(.error(refused)),
        actions: [
            .stopSync(generation: 2),
            .record(
                Transition(
                    phase: .error, cause: .cancelled,
                    failure: Failure(
                        kind: .cancelled, message: "the sync was stopped on request", retryable: true,
                        attempts: 2))),
            .schedule(.afterInterval),
        ], failures: 1),

    MachineRow(
        name: "syncing, turned off", from: syncing(from: .error(offline(attempts: 1)), failures: 1),
        event: .turnedOff, position: .resting(.error(offline(attempts: 1))),
        actions: [
            .stopSync(generation: 2),
            .record(Transition(phase: .error, cause: .turnedOff, failure: offline(attempts: 1))),
            .schedule(.afterInterval),
        ], failures: 1),

    MachineRow(
        name: "syncing when the daemon ended, restarted",
        from: Machine(syncingFrom: .loaded, failures: 0), event: .restarted,
        position: .resting(.loaded),
        actions: [
            .record(Transition(phase: .loaded, cause: .interrupted, failure: ended)), .schedule(.atOnce),
        ]),
    MachineRow(
        name: "interrupted for the second time in a row",
        from: Machine(syncingFrom: .loaded, failures: 0, interruptions: 1), event: .restarted,
        position: .resting(.loaded), actions: interrupted(attempts: 2, next: .afterBackoff(attempt: 1))),
    MachineRow(
        name: "interrupted for the fourth time in a row, after two failures",
        from: Machine(syncingFrom: .error(refused), failures: 2, interruptions: 3), event: .restarted,
        position: .resting(.error(refused)),
        actions: interrupted(to: .error, attempts: 6, next: .afterBackoff(attempt: 3)), failures: 2),
    MachineRow(
        name: "syncing for the first time when the daemon ended, restarted",
        from: Machine(syncingFrom: .initial, failures: 0), event: .restarted,
        position: .resting(.initial),
        actions: [
            .record(Transition(phase: .initial, cause: .interrupted, failure: ended)), .schedule(.atOnce),
        ]),
]

private func interrupted(to phase: Phase = .loaded, attempts: Int, next: NextSync) -> [Machine.Action] {
    var failure = ended
    failure.attempts = attempts
    return [.record(Transition(phase: phase, cause: .interrupted, failure: failure)), .schedule(next)]
}

@Suite struct MachineTableTests {
    @Test(
        "In each position, each event does what the table says and nothing else", arguments: resting + running
    )
    func row(_ row: MachineRow) {
        var machine = row.from
        let generation = machine.generation
        #expect(machine.handle(row.event) == row.actions)
        #expect(machine.position == row.position)
        #expect(machine.failures == row.failures)
        let begins = row.actions.contains { if case .startSync = $0 { true } else { false } }
        #expect(machine.generation == generation + (begins ? 1 : 0))
    }

    @Test("Only the phase error shows a failure, and a machine remembers it until a sync succeeds")
    func failure() {
        var machine = Machine(.error(offline), failures: 3)
        #expect(machine.phase == .error && machine.failure == offline && machine.hasFailed)
        _ = machine.handle(.wanted(.due))
        #expect(machine.phase == .syncing && machine.failure == nil && machine.hasFailed)
        #expect(machine.runningGeneration == 1)
        _ = machine.handle(.committed(generation: 1, rows: 2))
        #expect(machine.phase == .loaded && machine.failure == nil && !machine.hasFailed)
        #expect(machine.runningGeneration == nil)
    }

    @Test("Each rest state has its own phase")
    func phases() {
        #expect(
            [Machine.RestState.initial, .loaded, .empty, .error(offline)].map(\.phase)
                == [.initial, .loaded, .empty, .error])
    }
}
