import Model
import UserdAPI

/// - Parameters:
///   - daemon: userd's state; nil if it does not answer.
///   - settings: its settings; empty if they are unknown.
func syncChecks(
    _ daemon: DaemonState?, _ clock: WallClock, settings: [SettingValue] = []
) -> [Check] {
    if let words = daemon?.notConnected {
        let parts = words.split(separator: ": ", maxSplits: 1).map(String.init)
        return Resource.allCases.map { subject($0).skipped("no directory is named") }
            + [pausedSubject.warning(parts[0], parts[1])]
    }
    guard let daemon else {
        return Resource.allCases.map { subject($0).skipped(Check.unanswered) }
            + [pausedSubject.skipped(Check.unanswered)]
    }
    return daemon.states.map { check($0, settings, clock) } + accountCheck(daemon.account, clock) + [
        daemon.paused
            ? pausedSubject.warning("automatic syncs are paused", "`userctl resume` resumes them")
            : pausedSubject.ok("automatic syncs go on")
    ]
}

private let pausedSubject = CheckSubject(name: "sync.paused", title: "Schedule")

/// Nothing where the settings let nobody sign in.
private func accountCheck(_ account: Account?, _ clock: WallClock) -> [Check] {
    guard let account else { return [] }
    let subject = CheckSubject(name: "sync.account", title: "Sign-in")
    guard account.signedIn else {
        let who = account.name.map { "\($0) is no longer signed in" } ?? "nobody is signed in"
        return [subject.failed("\(who) at \(account.provider)", "`userctl sign-in` signs you in")]
    }
    let who = account.name ?? "somebody"
    let end = account.until.map { ", until \(clock.text($0))" } ?? ""
    return [subject.ok("\(who) is signed in at \(account.provider)\(end)")]
}

private func subject(_ resource: Resource) -> CheckSubject {
    CheckSubject(name: "sync.\(resource)", title: "\(resource.title)' sync")
}

private func check(_ state: State, _ settings: [SettingValue], _ clock: WallClock) -> Check {
    let (subject, resource) = (subject(state.resource), state.resource)
    if state.phase == .error {
        let next = state.nextSyncAt.map { "; the next attempt is due \(clock.until($0))" } ?? ""
        return subject.failed(
            "the last sync failed: \(state.failure?.withoutAdvice ?? "unknown reason")\(next)",
            advice: settings.named(in: state.failure?.advice?.words ?? "")
                + [settings.toDo(state) ?? state.insistence ?? "`userctl retry \(resource)` tries again now"])
    }
    let reads = resource == .users ? settings.reasonForFullLists : nil
    let synced = state.syncedAt.map { "synced \(clock.ago($0))" } ?? "never synced"
    if let shortfall = state.shortfall(settings) {
        let names = shortfall.settings.joined(separator: " ")
        return subject.warning(
            "\(state.extent), \(shortfall.text); \(synced)",
            advice: names == "\(resource).paging"
                ? ["set \(names); `userd --check-upstream` shows what the pages say about more"]
                : settings.named(in: names))
    }
    if let missing = state.missing {
        return subject.warning("\(state.extent); \(missing.text); \(synced)", Missing.advice)
    }
    return state.stale && state.phase != .syncing
        ? subject.warning("\(state.extent), \(synced)", "`userctl sync \(resource) --wait` fetches them")
        : subject.ok("\(state.extent), \(synced)\(reads.map { "; \($0)" } ?? "")")
}

extension CheckSubject {
    fileprivate static let standIn = CheckSubject(name: "daemon.stand-in", title: "Replay or mock")
}

/// Checks whether userd serves a replay or a mock instead of its upstreams.
/// - Parameter settings: the answering userd's; nil if unknown.
func standInCheck(_ settings: [SettingValue]?, isAnswered: Bool) -> Check {
    let subject = CheckSubject.standIn
    guard isAnswered else { return subject.skipped(Check.unanswered) }
    guard let settings else {
        return subject.skipped("the running userd does not report its settings")
    }
    for (setting, what) in [("replay", "the recording"), ("mock", "the mock")] {
        guard let value = settings.value(of: setting) else { continue }
        return subject.warning(
            "userd serves \(what) \(value) instead of its upstreams",
            "start userd without the setting \(setting)")
    }
    return subject.ok("neither: userd uses its upstreams")
}
