import CommandSupport
import Model
import Synchronization
import UserdAPI
import Varlink

/// Shows on stderr the progress of awaited syncs: bars on a terminal, otherwise a line a second.
final class ProgressDisplay: Sendable {
    private struct Contents {
        var syncs: [Resource: SyncProgress] = [:]
        var saidAt = Duration.zero
    }

    private let console: Console
    private let area: LiveArea?
    private let reports: RawReplies<WatchedState>?
    private let contents = Mutex(Contents())
    private let isOver = Atomic(false)
    private let start = ContinuousClock.now

    private var time: Duration { ContinuousClock.now - start }

    init(_ userd: UserdClient, resources: [Resource]?, console: Console) {
        self.console = console
        area = console.errors.size() == nil ? nil : LiveArea(console.errors)
        // Progress is optional: without it, the outcome is still printed.
        reports = try? userd.watch(Watch(resources: resources, progress: true))
        guard let reports else { return }
        detachThread { try? reports.forEach { self.take(try $0.decoded().state) } }
        if let area { tick(area) }
    }

    /// Clears the terminal. May be called more than once.
    func end() {
        isOver.store(true, ordering: .relaxed)
        reports?.interrupt()
        area?.erase()
    }

    private func take(_ state: State) -> VarlinkClient.Next {
        let time = time
        let toSay = contents.withLock { contents -> SyncProgress? in
            var sync = contents.syncs[state.resource] ?? SyncProgress(state, at: time)
            sync.take(state, at: time)
            contents.syncs[state.resource] = sync
            guard state.progress != nil, time - contents.saidAt >= .seconds(1) else { return nil }
            contents.saidAt = time
            return sync
        }
        if let area {
            draw(area)
        } else if let toSay {
            console.say("\(state.resource): \(toSay.text(at: time))")
        }
        return .proceed
    }

    private func draw(_ area: LiveArea) {
        let syncs = contents.withLock { contents in Resource.allCases.compactMap { contents.syncs[$0] } }
        area.draw(SyncProgressView(syncs, at: time))
    }

    /// The remaining time changes without reports, too.
    private func tick(_ area: LiveArea) {
        console.after(.milliseconds(500)) {
            guard !self.isOver.load(ordering: .relaxed) else { return }
            self.draw(area)
            self.tick(area)
        }
    }
}
