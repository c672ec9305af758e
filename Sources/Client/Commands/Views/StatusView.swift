import CommandSupport
import Model
import TerminalViews
import UserdAPI

/// The state of both resources, and of userd.
package struct StatusView: View {
    private let states: [State]
    /// Nil if userd does not answer.
    private let daemon: DaemonState?
    private let unavailability: String
    private let clock: WallClock

    /// - Parameter unavailability: why userd does not answer.
    package init(
        _ states: [State], daemon: DaemonState?, unavailability: String = "userd is not running",
        clock: WallClock
    ) {
        self.states = states
        self.daemon = daemon
        self.unavailability = unavailability
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
        guard let daemon else { return unavailability }
        return "userd \(daemon.version), started \(clock.ago(daemon.startedAt))"
            + (daemon.paused ? ", paused: `userctl resume` resumes automatic syncs" : "")
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
