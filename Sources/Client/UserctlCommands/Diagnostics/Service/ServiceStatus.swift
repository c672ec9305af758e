import Model

/// The service manager's view of userd's units; `userctl service status --output json` encodes it.
struct ServiceStatus: Hashable, Sendable, Encodable {
    /// Members that don't apply or are unknown are nil.
    struct Unit: Hashable, Sendable, Encodable {
        let name: String
        /// `loaded`, `not-found`, `masked`, …
        let load: String
        /// `enabled`, `disabled`, …
        let enabled: String?
        /// `active`, `inactive`, `failed`, …
        let active: String
        /// `running`, `listening`, `dead`, …
        let sub: String?
        /// The start of the current `active` state; a reload does not change it.
        let since: Timestamp?
        /// How it ended: `success`, `exit-code`, `watchdog`, …
        let result: String?
        let unitFile: String?
        let listens: String?
        let mainPID: Int?
        let memoryBytes: Int?
        /// The watchdog's limit: `30s`.
        let watchdog: String?
        /// userd's status line.
        let status: String?
        let restarts: Int?
        let lastExit: LastExit?

        enum CodingKeys: String, CodingKey {
            case name, load, enabled, active, sub, since, result, listens, watchdog, status, restarts
            case unitFile = "unit_file"
            case mainPID = "main_pid"
            case memoryBytes = "memory_bytes"
            case lastExit = "last_exit"
        }
    }

    struct LastExit: Hashable, Sendable, Encodable {
        /// Either `code` or `signal` is set.
        let code: Int?
        let signal: Int?
        let at: Timestamp?
    }

    /// The socket and the service first, then those of the address book and of published lists.
    let units: [Unit]
    /// Whether the service manager keeps running after a logout.
    let linger: Bool

    /// True if userd runs, or its socket can start it.
    var isAtHand: Bool {
        main.contains { $0.active == "active" || $0.active == "reloading" }
            && !main.contains(where: \.isFailing)
    }
    var isInstalled: Bool { main.contains(where: \.isInstalled) }
    /// True if systemd started the userd that runs, or would start it.
    var isActive: Bool { main.contains(where: \.isActive) }
    /// The units that have to be stopped and disabled.
    var inUse: [Unit] { units.filter { $0.isActive || $0.isEnabled } }
    /// The socket and the service.
    var main: [Unit] { units.filter { ServiceUnits.names.contains($0.name) } }
}

extension ServiceStatus.Unit {
    static let properties =
        [
            "Id", "LoadState", "UnitFileState", "ActiveState", "SubState", "Result", "FragmentPath",
            "MainPID", "MemoryCurrent", "WatchdogUSec",
            "StatusText", "NRestarts", "ExecMainCode", "ExecMainStatus", "ExecMainExitTimestamp", "Listen",
        ] + Set(beginnings.values).sorted()

    /// systemd's property with the start of each state.
    private static let beginnings = [
        "active": "ActiveEnterTimestamp", "reloading": "ActiveEnterTimestamp",
        "inactive": "InactiveEnterTimestamp", "failed": "InactiveEnterTimestamp",
        "activating": "InactiveExitTimestamp", "deactivating": "ActiveExitTimestamp",
    ]

    init(_ properties: Systemctl.Properties) {
        func value(_ name: String) -> String? { properties[name].flatMap { $0.isEmpty ? nil : $0 } }
        // systemd prints unset numbers as words, or as the largest number.
        func number(_ name: String) -> Int? { value(name).flatMap { Int($0) } }
        func time(_ name: String) -> Timestamp? {
            value(name).flatMap { Int64($0.drop { $0 == "@" }) }.flatMap {
                (0...maximumSeconds) ~= $0 ? $0 : nil
            }
            .map { Timestamp(milliseconds: $0 * 1000) }
        }
        name = value("Id") ?? ""
        load = value("LoadState") ?? ""
        enabled = value("UnitFileState")
        active = value("ActiveState") ?? ""
        sub = value("SubState")
        since = Self.beginnings[active].flatMap(time)
        result = value("Result")
        unitFile = value("FragmentPath")
        listens = value("Listen")
        mainPID = number("MainPID").flatMap { $0 > 0 ? $0 : nil }
        memoryBytes = number("MemoryCurrent")
        watchdog = value("WatchdogUSec").flatMap { ["0", "infinity"].contains($0) ? nil : $0 }
        status = value("StatusText")
        restarts = number("NRestarts")
        // CLD_EXITED, CLD_KILLED and CLD_DUMPED (sigaction(2)); 0 while it runs.
        let at = time("ExecMainExitTimestamp")
        lastExit =
            switch number("ExecMainCode") {
            case 1: ServiceStatus.LastExit(code: number("ExecMainStatus"), signal: nil, at: at)
            case 2, 3: ServiceStatus.LastExit(code: nil, signal: number("ExecMainStatus"), at: at)
            default: nil
            }
    }

    var isInstalled: Bool { load != "not-found" }
    var isEnabled: Bool { enabled?.hasPrefix("enabled") ?? false }
    var isActive: Bool { ["active", "activating", "reloading"].contains(active) }
}

/// The end of the year 9999.
private let maximumSeconds: Int64 = 253_402_300_799

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
