extension CheckSubject {
    fileprivate static let standIn = CheckSubject(name: "daemon.stand-in", title: "Replay or mock")
}

/// Whether userd serves a replay or a mock instead of its upstreams.
/// - Parameter settings: the answering userd's --print-config; nil if unknown.
package func standInCheck(_ settings: [String]?, isAnswered: Bool) -> Check {
    let subject = CheckSubject.standIn
    guard isAnswered else { return subject.skipped(Check.unanswered) }
    guard let settings else {
        return subject.skipped("the running userd's settings can't be read")
    }
    for (setting, what) in [("replay", "the recording"), ("mock", "the mock")] {
        guard let value = UserdFacts.value(of: setting, in: settings), !value.isEmpty else { continue }
        return subject.warning(
            "userd serves \(what) \(value) instead of its upstreams",
            "start userd without the setting \(setting)")
    }
    return subject.ok("none: userd asks its upstreams")
}
