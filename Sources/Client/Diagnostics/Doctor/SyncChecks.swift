import CommandSupport
import Model
import UserdAPI

/// - Parameter daemon: userd's state; nil if it does not answer.
package func syncChecks(_ daemon: DaemonState?, _ clock: WallClock) -> [Check] {
    guard let daemon else {
        return Resource.allCases.map { subject($0).skipped(Check.unanswered) }
            + [pausedSubject.skipped(Check.unanswered)]
    }
    return daemon.states.map { check($0, clock) } + [
        daemon.paused
            ? pausedSubject.warning("automatic syncs are paused", "`userctl resume` resumes them")
            : pausedSubject.ok("users and facts sync automatically")
    ]
}

private let pausedSubject = CheckSubject(name: "sync.paused", title: "Schedule")

private func subject(_ resource: Resource) -> CheckSubject {
    CheckSubject(name: "sync.\(resource)", title: "\(resource.title)' sync")
}

private func check(_ state: State, _ clock: WallClock) -> Check {
    let (subject, resource) = (subject(state.resource), state.resource)
    if state.phase == .error {
        let next = state.nextSyncAt.map { "; the next attempt is due \(clock.until($0))" } ?? ""
        return subject.failed(
            "the last sync failed: \(state.failure?.text ?? "unknown reason")\(next)",
            state.advice ?? "`userctl retry \(resource)` tries again now")
    }
    let synced = state.syncedAt.map { "synced \(clock.ago($0))" } ?? "never synced"
    return state.stale && state.phase != .syncing
        ? subject.warning("\(state.extent), \(synced)", "`userctl sync \(resource) --wait` fetches them")
        : subject.ok("\(state.extent), \(synced)")
}
