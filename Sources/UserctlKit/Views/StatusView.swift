import Model
import TerminalViews
import UserdAPI

/// Where both resources stand, and userd itself.
package struct StatusView: View {
    private let states: [State]
    /// Nil where none runs.
    private let daemon: DaemonState?
    private let absence: String
    private let clock: WallClock

    /// - Parameter absence: what to say of userd where it has not answered.
    package init(
        _ states: [State], daemon: DaemonState?, absence: String = "userd is not running", clock: WallClock
    ) {
        self.states = states
        self.daemon = daemon
        self.absence = absence
        self.clock = clock
    }

    package var body: some View {
        Page(footer: footer) {
            for state in states {
                ResourceCard(state: state, isServed: daemon != nil, clock: clock)
            }
        }
    }

    private var footer: String {
        guard let daemon else { return absence }
        return "userd \(daemon.version), started \(clock.ago(daemon.startedAt))"
            + (daemon.paused ? ", paused: `userctl resume` lets it sync again" : "")
    }
}

private struct ResourceCard: View {
    let state: State
    let isServed: Bool
    let clock: WallClock

    var body: some View {
        Card(state.resource.title) {
            Fields {
                Field("Phase", state.phase.text)
                Field("Since", clock.ago(state.since))
                Field("Progress", state.progress?.text)
                Field("Cached", state.resource.counted(state.count))
                Field("Synced", synced)
                if let failure = state.failure { Field("Failure", Text(failure.text).style(.bad)) }
                if isServed { Field("Next sync", state.nextSyncAt.map(clock.until)) }
                Field("To do", state.advice)
            }
        }
    }

    private var synced: Text {
        let text = Text(state.syncedAt.map(clock.ago) ?? "never")
        return state.stale ? text.style(.warning) : text
    }
}
