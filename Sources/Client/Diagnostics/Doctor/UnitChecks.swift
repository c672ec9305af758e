import CommandSupport

/// The facts behind the checks of userd's systemd units.
package struct UnitFacts: Sendable {
    package enum Manager: Sendable {
        case answers([ServiceStatus.Unit])
        /// The text is the reason why it does not answer.
        case silent(String)
    }

    package static let names = ["userd.socket", "userd.service"]

    package var manager: Manager
    /// Whether the service manager keeps running after a logout.
    package var linger: Bool
    /// Whether a timer publishes lists.
    package var publishes = false
    package var userName: String
    /// Whether a userd answers, started by systemd or by hand.
    package var isAnswered: Bool
}

extension CheckSubject {
    fileprivate static let manager = CheckSubject(name: "unit.manager", title: "Service manager")
    fileprivate static let installed = CheckSubject(name: "unit.installed", title: "Units")
    fileprivate static let enabled = CheckSubject(name: "unit.enabled", title: "Units enabled")
    fileprivate static let active = CheckSubject(name: "unit.active", title: "Units active")
    fileprivate static let linger = CheckSubject(name: "unit.linger", title: "Lingering")
}

package func unitChecks(_ facts: UnitFacts) -> [Check] {
    switch facts.manager {
    case .silent(let reason):
        let others = [CheckSubject.installed, .enabled, .active, .linger]
        return [
            CheckSubject.manager.warning(
                "your systemd service manager does not answer: \(reason)",
                "containers and `su` have none: log in as yourself, or run `userd` by hand")
        ] + others.map { $0.skipped("systemd does not answer") }
    case .answers(let units):
        return [CheckSubject.manager.ok("systemd answers")] + checks(units, facts) + [lingerCheck(facts)]
    }
}

private func checks(_ units: [ServiceStatus.Unit], _ facts: UnitFacts) -> [Check] {
    let installed = units.filter(\.isInstalled)
    guard !installed.isEmpty else {
        return [
            CheckSubject.installed.warning(
                "not installed: \(UnitFacts.names.joined(separator: ", "))",
                "`make install` in userd's sources installs them; without them, run `userd` by hand"),
            CheckSubject.enabled.skipped("not installed"), CheckSubject.active.skipped("not installed"),
        ]
    }
    return [loadCheck(installed), enabledCheck(installed), activeCheck(installed, facts)]
}

private func loadCheck(_ units: [ServiceStatus.Unit]) -> Check {
    let words = list(units) { $0.load }
    if let masked = units.first(where: { $0.load == "masked" }) {
        return CheckSubject.installed.warning(words, "`systemctl --user unmask \(shellQuoted(masked.name))`")
    }
    guard let bad = units.first(where: { $0.load != "loaded" }) else {
        return CheckSubject.installed.ok(words)
    }
    return CheckSubject.installed.failed(words, "`systemctl --user status \(shellQuoted(bad.name))` says why")
}

private func enabledCheck(_ units: [ServiceStatus.Unit]) -> Check {
    let words = list(units) { $0.enabled ?? "" }
    // Either unit starts userd.
    return units.contains(where: \.isEnabled)
        ? CheckSubject.enabled.ok(words)
        : CheckSubject.enabled.warning(
            words, "`userctl service enable` starts userd at login")
}

private func activeCheck(_ units: [ServiceStatus.Unit], _ facts: UnitFacts) -> Check {
    let subject = CheckSubject.active
    let words = list(units) {
        $0.active == "failed" ? "failed (\($0.result ?? "unknown reason"))" : $0.active
    }
    let failed = units.filter { $0.active == "failed" }.map { shellQuoted($0.name) }.joined(separator: " ")
    if !failed.isEmpty {
        // After too many restarts systemd refuses a start, also by hand, until reset-failed.
        return subject.failed(
            words, "`journalctl --user -u userd` says why; once that is fixed,",
            "`systemctl --user reset-failed \(failed) && systemctl --user restart \(failed)`")
    }
    if let ending = units.first(where: { $0.sub == "auto-restart" }) {
        return subject.failed(
            "\(words): \(ending.name) crashes again and again (\(ending.result ?? "unknown reason"))",
            "`journalctl --user -u userd` says why; once that is fixed, `userctl service enable`")
    }
    if units.contains(where: \.isActive) { return subject.ok(words) }
    return facts.isAnswered
        ? subject.warning(
            "\(words): the running userd was started by hand",
            "stop that one, then `systemctl --user start \(shellQuoted(units[0].name))`")
        : subject.failed(words, "`systemctl --user start \(shellQuoted(units[0].name))`")
}

private func lingerCheck(_ facts: UnitFacts) -> Check {
    if facts.linger { return CheckSubject.linger.ok("on: userd also runs while you are logged out") }
    let found = "off for \(facts.userName): userd syncs only while you are logged in"
    return facts.publishes
        ? CheckSubject.linger.warning(
            found + ", and so does the published list", "`loginctl enable-linger` turns it on")
        : CheckSubject.linger.ok(found)
}

/// `userd.socket enabled, userd.service disabled`
private func list(_ units: [ServiceStatus.Unit], _ word: (ServiceStatus.Unit) -> String) -> String {
    units.map { "\($0.name) \(word($0).isEmpty ? "unknown" : word($0))" }.joined(separator: ", ")
}
