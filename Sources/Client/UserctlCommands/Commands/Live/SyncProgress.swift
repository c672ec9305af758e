import Model
import Platform
import TerminalViews
import UserdAPI
import Varlink

struct SyncProgress: Sendable {
    private(set) var state: State
    /// Records per page: the first report's, if the sync's start was seen.
    private var pageSize: Int?
    private var sawBegin = false
    /// The number of records at times of the last seconds.
    private var samples: [(time: Duration, done: Int)] = []

    private static let window = Duration.seconds(10)

    init(_ state: State, at time: Duration) {
        self.state = state
        sawBegin = state.progress?.done ?? 0 == 0
        take(state, at: time)
    }

    /// - Parameter time: since a fixed moment.
    mutating func take(_ new: State, at time: Duration) {
        if new.index != state.index {
            (pageSize, samples, sawBegin) = (nil, [], true)
        }
        state = new
        // Bounded, so that arithmetic can't overflow.
        state.progress = new.progress.map { progress in
            func bounded(_ number: Int) -> Int { min(max(number, 0), 1 << 40) }
            return Progress(done: bounded(progress.done), total: progress.total.map(bounded))
        }
        guard state.phase == .syncing else { return }
        let done = state.progress?.done ?? 0
        if sawBegin, pageSize == nil, done > 0 { pageSize = done }
        samples.append((time, done))
        if let first = samples.lastIndex(where: { time - $0.time >= Self.window }) {
            samples.removeFirst(first)
        }
    }

    private var pages: (done: Int, total: Int?)? {
        guard let pageSize, let progress = state.progress else { return nil }
        func count(_ records: Int) -> Int { (records + pageSize - 1) / pageSize }
        return (count(progress.done), progress.total.map(count))
    }

    /// Records a second over the last seconds; nil if there are too few samples.
    private func rate(at time: Duration) -> Double? {
        guard let first = samples.first, let last = samples.last, time - first.time >= .seconds(1),
            last.done > first.done
        else { return nil }
        return Double(last.done - first.done) / ((time - first.time) / .seconds(1))
    }

    private func timeLeft(at rate: Double?) -> Duration? {
        guard let rate, let progress = state.progress, let total = progress.total, total > progress.done
        else { return nil }
        return .seconds(min(Double(total - progress.done) / rate, 1e15))
    }

    /// `1,200 of 5,000, page 12 of 50, 240 a second, 16 s left`, as far as known.
    ///
    /// - Parameter time: now, since the same moment as in `take`.
    func text(at time: Duration) -> String {
        guard let progress = state.progress, progress.done > 0 else { return "waiting for upstream" }
        // All pages have been fetched, and the rows are being committed.
        if progress.done == progress.total { return progress.text + ", saving" }
        let rate = rate(at: time)
        return [
            progress.text,
            pages.map { "page \(grouped($0.done))" + ($0.total.map { " of \(grouped($0))" } ?? "") },
            rate.map { "\(grouped(Int($0.rounded()))) a second" },
            timeLeft(at: rate).map { "\(inWords($0)) left" },
        ].compactMap { $0 }.joined(separator: ", ")
    }
}

/// A line for each awaited sync.
struct SyncProgressView: View {
    let syncs: [SyncProgress]
    /// Now, since the same moment as in `SyncProgress.take`.
    let time: Duration

    var body: some View {
        Column {
            for sync in syncs {
                if sync.state.phase == .syncing {
                    Row {
                        Text(sync.state.resource.rawValue)
                        ProgressBar(done: sync.state.progress?.done ?? 0, total: sync.state.progress?.total)
                        Text(sync.text(at: time)).truncated()
                    }
                } else {
                    OutcomeTable(states: [sync.state])
                }
            }
        }
    }
}

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
