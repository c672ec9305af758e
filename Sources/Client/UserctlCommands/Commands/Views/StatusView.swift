import Model
import TerminalViews
import UserdAPI

struct StatusView: View {
    let states: [State]
    /// Nil if userd does not answer.
    let daemon: DaemonState?
    /// userd's; empty if unknown.
    var settings: [SettingValue] = []
    /// Why userd does not answer; nil if another notice says so.
    var unavailability: String? = "userd is not running"
    let clock: WallClock

    var body: some View {
        Column(spacing: 1) {
            if let words = daemon?.notConnected {
                Text(words.prefix(1).uppercased() + words.dropFirst() + ".").style(.title)
            }
            for state in states {
                ResourceCard(
                    state: state, shortfall: state.shortfall(settings)?.text, toDo: settings.toDo(state),
                    reads: state.resource == .users ? settings.reasonForFullLists : nil,
                    isServed: daemon != nil,
                    account: state.resource == .users ? daemon?.account : nil, clock: clock)
            }
            if let footer { Text(footer).style(.secondary) }
        }
    }

    private var footer: String? {
        guard let daemon else { return unavailability }
        return "userd \(daemon.version), started \(clock.ago(daemon.startedAt))"
            + (daemon.paused && daemon.notConnected == nil
                ? ", paused: `userctl resume` resumes automatic syncs" : "")
    }
}

private struct ResourceCard: View {
    let state: State
    let shortfall: String?
    let toDo: String?
    /// Why each sync reads the full list of a directory that says what changed.
    let reads: String?
    let isServed: Bool
    let account: Account?
    let clock: WallClock

    var body: some View {
        Card(state.resource.title) {
            Fields {
                Field("Phase", state.phase.text)
                Field("Since", clock.ago(state.since))
                Field("Progress", state.progress?.text)
                Field("Cached", state.resource.counted(state.count) + (shortfall.map { ", \($0)" } ?? ""))
                if let missing = state.missing { Field("Missing", missing.text) }
                Field("Synced", synced)
                Field("Changes", reads ?? state.scope.map(\.text))
                if let failure = state.failure { Field("Failure", Text(failure.withoutAdvice).style(.bad)) }
                if let account { Field("Signed in", account.text(clock)) }
                if isServed { Field("Next sync", state.nextSyncAt.map(clock.until)) }
                Field("To do", toDo)
            }
        }
    }

    private var synced: Text {
        let text = Text(state.syncedAt.map(clock.ago) ?? "never")
        return state.stale ? text.style(.warning) : text
    }
}

extension SyncScope {
    fileprivate var text: String {
        switch self {
        case .full: "the last sync read the full list"
        case .changes: "the last sync read only what had changed"
        }
    }
}
