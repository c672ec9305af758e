import Model
import Platform
import UserdAPI
import Varlink

/// Shows on stderr the progress of awaited syncs: bars on a terminal, otherwise a line a second.
struct ProgressDisplay {
    private let area: LiveArea?
    private let reports: RawReplies<WatchedState>?

    init(_ userd: UserdClient, resources: [Resource]?, console: Console) {
        let area = console.errors.size() == nil ? nil : LiveArea(console.errors)
        // Progress is optional: without it, the outcome is still printed.
        let reports = try? userd.watch(Watch(resources: resources, progress: true))
        (self.area, self.reports) = (area, reports)
        guard let reports else { return }
        _ = startThread("progress") { try? follow(reports, area, console) }
    }

    /// Clears the terminal. May be called more than once.
    func end() {
        reports?.interrupt()
        area?.erase()
    }
}

private func follow(_ reports: RawReplies<WatchedState>, _ area: LiveArea?, _ console: Console) throws {
    let start = ContinuousClock.now
    var syncs: [Resource: SyncProgress] = [:]
    var saidAt = Duration.zero
    try reports.forEach { reply in
        let (state, time) = (try reply.decoded().state, ContinuousClock.now - start)
        var sync = syncs[state.resource] ?? SyncProgress(state, at: time)
        sync.take(state, at: time)
        syncs[state.resource] = sync
        if area == nil, state.progress != nil, time - saidAt >= .seconds(1) {
            saidAt = time
            console.say("\(state.resource): \(sync.text(at: time))")
        }
        return .proceed
    } whenIdle: {
        if !syncs.isEmpty {
            let shown = Resource.allCases.compactMap { syncs[$0] }
            area?.draw(SyncProgressView(syncs: shown, time: ContinuousClock.now - start))
        }
        // The remaining time changes without reports, too.
        return .milliseconds(500)
    }
}
