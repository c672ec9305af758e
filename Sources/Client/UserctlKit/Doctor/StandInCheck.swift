extension CheckSubject {
    fileprivate static let standIn = CheckSubject(name: "daemon.stand-in", title: "Stand-in")
}

/// Whether what userd serves comes from its upstreams at all.
/// - Parameter settings: of the userd that answers, as it prints them; nil where nobody could be asked.
package func standInCheck(_ settings: [String]?, isAnswered: Bool) -> Check {
    let subject = CheckSubject.standIn
    guard isAnswered else { return subject.skipped(Check.unanswered) }
    guard let printed = settings?.joined(separator: "\n") else {
        return subject.skipped("userd's own settings can't be seen")
    }
    for (setting, what) in [("replay", "the recording"), ("mock", "a mock of")] {
        guard let value = UserdFacts.value(of: setting, in: printed), !value.isEmpty else { continue }
        return subject.warning(
            "nothing is fetched: \(what) \(value) answers in the place of upstreams",
            "start userd without the setting \(setting)")
    }
    return subject.ok("none: upstreams themselves answer")
}
