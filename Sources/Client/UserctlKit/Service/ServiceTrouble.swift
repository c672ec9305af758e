import Model

extension ServiceStatus.Unit {
    /// It has ended as it should not have, be it that systemd starts it again.
    var isFailing: Bool {
        switch active {
        case "failed": true
        // One that was started again once may take its time, for a new schema say.
        case "activating": sub == "auto-restart" || restarts ?? 0 >= 3
        case "deactivating": result.map { $0 != "success" } ?? false
        default: false
        }
    }

    /// It runs, but has ended again and again, and did so but now.
    func isUnsteady(_ now: Timestamp) -> Bool {
        guard active == "active", let restarts, let since else { return false }
        return restarts >= 3 && now - since < .seconds(60)
    }
}

/// What is wrong with a userd that systemd should be running, in words for people.
package struct ServiceTrouble {
    package let message: String
    let advice =
        "`journalctl --user -u userd` says more; once that is mended, `userctl service enable` starts it"

    /// Nil where nothing is wrong.
    init?(_ status: ServiceStatus, _ journal: Journal, now: Timestamp) {
        // The socket fails for the service's sake.
        guard let unit = status.units.last(where: { $0.isFailing || $0.isUnsteady(now) }) else { return nil }
        let restarts = unit.restarts ?? 0
        let times = restarts == 1 ? "once" : "\(restarts) times"
        let reason = ServiceTrouble.reason(unit, journal, now)
        message =
            switch unit.active {
            case "failed": "\(unit.name) has failed: \(reason)"
            case "active": "userd runs, but has been started again \(times) lately: \(reason)"
            default: "userd ends, and is started again and again (\(times) so far): \(reason)"
            }
    }

    private static func reason(_ unit: ServiceStatus.Unit, _ journal: Journal, _ now: Timestamp) -> String {
        let beginning = "failed: "
        if let status = unit.status, status.hasPrefix(beginning) {
            return String(status.dropFirst(beginning.count))
        }
        // What it said some minutes before is of the same making.
        let time = (unit.since ?? now).milliseconds / 1000 - 300
        if let line = journal.lastError(since: time) { return String(line.trimmingPrefix("userd: ")) }
        guard let exit = unit.lastExit else { return unit.result ?? "nobody knows why" }
        return "it ended \(exit.how)" + (unit.result == "watchdog" ? ", as it did not answer" : "")
    }
}
