import Model

/// All resources in one line: `users loaded 20, facts error: offline, next attempt 12:04`.
///
/// It changes only with a transition: it holds no ages and no progress.
///
/// - Parameter offset: seconds east of UTC at a time.
func statusLine(
    of states: [State], paused: Bool, now: Timestamp, offset: (Timestamp) -> Int
) -> String {
    func local(_ time: Timestamp) -> (day: Substring, minute: Substring) {
        let text = (time + .seconds(offset(time))).description
        return (text.prefix(10), text.dropFirst(11).prefix(5))
    }
    func shown(_ time: Timestamp) -> String {
        let (day, minute) = local(time)
        return day == local(now).day ? "\(minute)" : "\(day) \(minute)"
    }
    func words(_ state: State) -> [String] {
        let subject = "\(state.resource.rawValue) \(state.phase.rawValue)"
        switch state.phase {
        case .loaded: return ["\(subject) \(state.count)"]
        case .initial, .syncing, .empty: return [subject]
        case .error:
            return [subject + (state.failure.map { ": \($0.kindAndStatus)" } ?? "")]
                + (state.nextSyncAt.map { ["next attempt \(shown($0))"] } ?? [])
        }
    }
    return (states.flatMap(words) + (paused ? ["paused"] : [])).joined(separator: ", ")
}
