import Model
import TerminalViews

struct StateLine: View {
    let browser: Browser
    let clock: WallClock

    var body: some View {
        Row {
            if browser.layout.size.columns < 40, browser.notice == nil, let marked {
                marked
            } else if let notice = browser.notice ?? unavailability {
                Text(notice).style(.warning).truncated()
            } else if browser.total > 0, browser.selection < 0 {
                Text("no match: Up or Down chooses one of those near").style(.warning).truncated()
            } else if let state = browser.state {
                state.phase.text
                Text(words(state)).truncated()
            } else {
                Text("asking userd…").style(.secondary)
            }
            if browser.layout.size.columns >= 60 {
                Spacer()
                marked
                Text("F1 help").style(.secondary)
            } else if browser.layout.size.columns >= 40, let marked {
                Spacer()
                marked
            }
        }
    }

    private var marked: Text? {
        let count = browser.marks.users.count
        return count > 0 ? Text("\(grouped(count)) marked").style(.title) : nil
    }

    /// The reason why userd does not answer.
    private var unavailability: String? {
        if case .cache(_, let reason) = browser.source {
            let freshness = browser.list?.freshness
            let failed = freshness.flatMap { $0.phase == .error ? "; \($0.failed)" : nil } ?? ""
            return "\(reason); reading its cache, \(synced(freshness?.syncedAt))\(failed)"
        }
        return browser.link == .lost ? "lost the connection to userd; reconnecting" : nil
    }

    private func synced(_ time: Timestamp?) -> String {
        time.map { "synced \(clock.ago($0))" } ?? "never synced"
    }

    private func words(_ state: State) -> String {
        let cached =
            "\(state.resource.counted(state.count)), \(synced(state.syncedAt))\(state.stale ? ", stale" : "")"
        switch state.phase {
        case .syncing: return [state.progress?.text, cached].compactMap { $0 }.joined(separator: "; ")
        case .error:
            let next = state.nextSyncAt.map { "next attempt \(clock.until($0))" }
            return [state.failure?.text, next, cached].compactMap { $0 }.joined(separator: "; ")
        case .initial, .loaded, .empty: return cached
        }
    }
}
