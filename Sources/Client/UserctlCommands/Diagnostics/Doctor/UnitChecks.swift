extension CheckSubject {
    fileprivate static let manager = CheckSubject(name: "unit.manager", title: "Service manager")
    fileprivate static let installed = CheckSubject(name: "unit.installed", title: "Units")
    fileprivate static let enabled = CheckSubject(name: "unit.enabled", title: "Units enabled")
    fileprivate static let active = CheckSubject(name: "unit.active", title: "Units active")
    fileprivate static let linger = CheckSubject(name: "unit.linger", title: "Lingering")
}

/// The checks of userd's systemd units.
/// - Parameters:
///   - status: the error is that no service manager answers.
///   - trouble: why the service does not run well; nil if it does.
///   - isAnswered: whether a userd answers, started by systemd or by hand.
func unitChecks(
    _ status: Result<ServiceStatus, any Error>, _ trouble: ServiceTrouble?, isAnswered: Bool
) -> [Check] {
    switch status {
    case .failure(let error):
        let (error, others) = (CommandError(error), [CheckSubject.installed, .enabled, .active, .linger])
        return [CheckSubject.manager.warning(error?.message ?? "", advice: error?.advice ?? [])]
            + others.map { $0.skipped("systemd does not answer") }
    case .success(let status):
        return [CheckSubject.manager.ok("systemd answers")] + checks(status.main, trouble, isAnswered)
            + [lingerCheck(status)]
    }
}

private func checks(
    _ units: [ServiceStatus.Unit], _ trouble: ServiceTrouble?, _ isAnswered: Bool
) -> [Check] {
    let installed = units.filter(\.isInstalled)
    guard !installed.isEmpty else {
        return [
            CheckSubject.installed.warning(
                "not installed: \(ServiceUnits.names.joined(separator: ", "))",
                "`make install` in userd's sources installs them; without them, run `userd` by hand"),
            CheckSubject.enabled.skipped("not installed"), CheckSubject.active.skipped("not installed"),
        ]
    }
    return [loadCheck(installed), enabledCheck(installed), activeCheck(installed, trouble, isAnswered)]
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

private func activeCheck(
    _ units: [ServiceStatus.Unit], _ trouble: ServiceTrouble?, _ isAnswered: Bool
) -> Check {
    let subject = CheckSubject.active
    if let trouble { return subject.failed(trouble.message, trouble.advice) }
    let words = list(units) { $0.active }
    if units.contains(where: \.isActive) { return subject.ok(words) }
    return isAnswered
        ? subject.warning(
            "\(words): the running userd was started by hand",
            "stop that one, then `systemctl --user start \(shellQuoted(units[0].name))`")
        : subject.failed(words, "`systemctl --user start \(shellQuoted(units[0].name))`")
}

private func lingerCheck(_ status: ServiceStatus) -> Check {
    if status.linger { return CheckSubject.linger.ok("on: userd also runs while you are logged out") }
    let found = "off: userd syncs only while you are logged in"
    return status.units.contains { $0.name.hasSuffix(".timer") }
        ? CheckSubject.linger.warning(
            found + ", and so does the published list", "`loginctl enable-linger` turns it on")
        : CheckSubject.linger.ok(found)
}

/// `userd.socket enabled, userd.service disabled`
private func list(_ units: [ServiceStatus.Unit], _ word: (ServiceStatus.Unit) -> String) -> String {
    units.map { "\($0.name) \(word($0).isEmpty ? "unknown" : word($0))" }.joined(separator: ", ")
}
