import Model
import Sync
import Testing

@Suite struct TransitionCountTests {
    enum End: CaseIterable { case committed, failed, cancelled }

    @Test(
        "A sync is two transitions, for any number of pages, outcome and repeated requests",
        arguments: [0, 1, 5, 100], End.allCases)
    func pages(_ pages: Int, _ end: End) {
        var machine = Machine(.loaded)
        var actions = machine.handle(.wanted(.due))
        let generation = machine.generation
        for page in 0..<pages {
            actions += machine.handle(.page(generation: generation, Progress(done: page + 1, total: pages)))
            actions += machine.handle(.wanted(.requested))
            // A late page of an older sync.
            actions += machine.handle(.page(generation: generation - 1, Progress(done: 1)))
        }
        let last: Machine.Event =
            switch end {
            case .committed: .committed(generation: generation, rows: pages)
            case .failed:
                .failed(
                    generation: generation, Failure(kind: .offline, message: "no route", retryable: true))
            case .cancelled: .cancelled
            }
        actions += machine.handle(last)
        // A repeated event does nothing.
        if end != .cancelled { actions += machine.handle(last) }

        let phases = actions.compactMap {
            if case .record(let transition) = $0 { transition.phase } else { nil }
        }
        let ending: Phase =
            switch end {
            case .committed: pages == 0 ? .empty : .loaded
            case .failed: .error
            case .cancelled: .loaded
            }
        #expect(phases == [.syncing, ending])
        let reports = actions.compactMap { if case .report(let progress) = $0 { progress.done } else { nil } }
        #expect(reports == Array(1...(pages + 1)).dropLast())
        let starts = actions.filter { if case .startSync = $0 { true } else { false } }
        #expect(starts == [.startSync(generation: generation)])
    }
}
