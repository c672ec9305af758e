import Model
import TerminalViews

/// Past transitions, one line each.
struct HistoryTable: View {
    let states: [State]
    let clock: WallClock

    var body: some View {
        Table(states) {
            TableColumn("#", alignment: .trailing) { Text(String($0.index)) }
            TableColumn("Time", rank: .whole) { Text(clock.text($0.since)) }
            TableColumn("Resource", rank: .whole) { Text($0.resource.rawValue) }
            TableColumn("Phase", rank: .whole) { $0.phase.text }
            TableColumn("Cause") { Text($0.told) }
            TableColumn("Cached", alignment: .trailing) { Text(grouped($0.count)) }
            TableColumn("Failure", rank: .message) { Text($0.failure?.brief ?? "") }
        }
    }
}

extension State {
    /// The cause, and how a sync has read a directory that can say what changed.
    fileprivate var told: String {
        guard cause.isCommitted, let scope else { return cause.rawValue }
        return "\(cause.rawValue) (\(scope == .full ? "full list" : "changes alone"))"
    }
}

/// One transition of `userctl watch`.
struct TransitionLine: View {
    let state: State
    let clock: WallClock

    var body: some View {
        Row {
            Text(clock.text(state.since)).style(.secondary)
            Text("#\(state.index)").style(.secondary).frame(width: 6, alignment: .trailing)
            Text(state.resource.rawValue)
            state.phase.text.frame(width: 7)
            Text(state.summary)
        }
    }
}

/// The outcome of a request: a line for each resource.
struct OutcomeTable: View {
    let states: [State]

    var body: some View {
        Column {
            for state in states {
                Row {
                    Text(state.resource.rawValue)
                    state.phase.text.frame(width: 7)
                    Text(state.extent)
                }
            }
        }
    }
}
