import UserdAPI

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
