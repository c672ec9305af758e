import Model

extension ServiceStatus.Unit {
    /// True if the unit has failed, or crashes again and again.
    var isFailing: Bool {
        switch active {
        case "failed": true
        // After one restart, userd may just be slow, for example during a migration.
        case "activating": sub == "auto-restart" || restarts ?? 0 >= 3
        case "deactivating": result.map { $0 != "success" } ?? false
        default: false
        }
    }

    /// True if the unit runs, but has been restarted several times, the last time within a minute.
    func isUnsteady(_ now: Timestamp) -> Bool {
        guard active == "active", let restarts, let since else { return false }
        return restarts >= 3 && now - since < .seconds(60)
    }
}

/// The reason why userd's service does not run, or does not run reliably.
struct ServiceTrouble {
    let message: String
    let advice =
        "`journalctl --user -u userd` says more; once that is fixed, `userctl service enable` starts it"

    /// Nil if the service is well.
    init?(_ status: ServiceStatus, _ journal: Journal, now: Timestamp) {
        // If both units fail, the service is the cause.
        guard let unit = status.main.last(where: { $0.isFailing || $0.isUnsteady(now) }) else { return nil }
        let restarts = unit.restarts ?? 0
        let times = restarts == 1 ? "once" : "\(restarts) times"
        let reason = ServiceTrouble.reason(unit, journal, now)
        message =
            switch unit.active {
            case "failed": "\(unit.name) has failed: \(reason)"
            case "active": "userd runs, but was restarted \(times): \(reason)"
            default: "userd crashes again and again (restarted \(times)): \(reason)"
            }
    }

    private static func reason(_ unit: ServiceStatus.Unit, _ journal: Journal, _ now: Timestamp) -> String {
        let beginning = "failed: "
        if let status = unit.status, status.hasPrefix(beginning) {
            return String(status.dropFirst(beginning.count))
        }
        // An error of the last five minutes belongs to the same crashes.
        let time = (unit.since ?? now).milliseconds / 1000 - 300
        if let line = journal.lastError(since: time) { return String(line.trimmingPrefix("userd: ")) }
        guard let exit = unit.lastExit else { return unit.result ?? "unknown reason" }
        return "it ended \(exit.how)" + (unit.result == "watchdog" ? ", because it did not answer" : "")
    }
}
