import Model
import TerminalViews
import UserdAPI

/// Where both resources stand, and userd itself.
package struct StatusView: View {
    private let states: [State]
    /// Nil where none runs.
    private let daemon: DaemonState?
    private let clock: WallClock

    package init(_ states: [State], daemon: DaemonState?, clock: WallClock) {
        self.states = states
        self.daemon = daemon
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
        guard let daemon else { return "userd is not running" }
        return "userd \(daemon.version), started \(ago(clock.age(of: daemon.startedAt)))"
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
                Field("Since", ago(clock.age(of: state.since)))
                Field("Progress", state.progress?.text)
                Field("Cached", state.resource.counted(state.count))
                Field("Synced", synced)
                if let failure = state.failure { Field("Failure", Text(failure.text).style(.bad)) }
                if isServed { Field("Next sync", state.nextSyncAt.map { until($0 - clock.now()) }) }
                Field("To do", state.advice)
            }
        }
    }

    private var synced: Text {
        let text = Text(state.syncedAt.map { ago(clock.age(of: $0)) } ?? "never")
        return state.stale ? text.style(.warning) : text
    }
}
