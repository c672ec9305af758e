import Model

/// Enables, disables and shows userd's units, for `userctl service`. Throws `CommandError`.
struct ServiceUnits {
    static let names = ["userd.socket", "userd.service"]

    /// Started with a desktop. Enabled with userd if they are installed; the path brings the service with it.
    private static let attention = (path: "userd-attention.path", service: "userd-attention.service")

    private let names = Self.names
    let probes: DoctorProbes
    let now: () -> Timestamp
    /// Prints a message for each step.
    let say: (String) -> Void

    func status() throws -> ServiceStatus {
        // Units that are enabled are loaded.
        let others = try? systemctl.units(BookUnits.prefix + "*", "userd-publish@*")
            .filter { $0.hasPrefix("userd-") }
        let units =
            try shown(names + (others ?? [])).map(ServiceStatus.Unit.init)
            + attentionUnits.filter { $0.isActive || $0.isEnabled }
        return ServiceStatus(units: units, linger: linger)
    }

    func trouble(_ status: ServiceStatus) -> ServiceTrouble? {
        ServiceTrouble(status, Journal(probes: probes), now: now())
    }

    // MARK: Enabling

    /// Enables and starts both units.
    /// - Parameter isAnswered: whether a userd answers at the socket, started by systemd or by hand.
    func enable(linger wanted: Bool, isAnswered: Bool) throws {
        let units = try usableUnits()
        guard !isAnswered || units.contains(where: \.isActive) else {
            throw CommandError(
                "a userd that was started by hand is already running", .failed,
                advice: "stop that one, then `userctl service enable`")
        }
        if units.allSatisfy(\.isEnabled) {
            say("already enabled: \(list(names))")
        } else {
            try attempt("enable", names, "could not be enabled")
            say("enabled: \(list(names)) start at each login")
        }
        let status = try status()
        let failing = status.main.filter(\.isFailing).map(\.name)
        let idle = status.main.filter { !$0.isActive || $0.isFailing }.map(\.name)
        if idle.isEmpty {
            say("already running")
            if let trouble = trouble(status) { say(trouble.message) }
        } else {
            // A unit that has failed too often does not start without reset-failed.
            if !failing.isEmpty { try attempt("reset-failed", failing, "could not be reset") }
            // `start` does nothing for a unit that waits for its automatic restart.
            try start(failing.isEmpty ? "start" : "restart", idle)
            say("started: \(list(idle))")
        }
        try enableNotifications()
        if wanted, !linger { try enableLinger() }
        say(linger ? lingering.asPhrase : notLingering.asPhrase)
    }

    /// Nothing if the units are not installed, or masked.
    private func enableNotifications() throws {
        let path = Self.attention.path
        let units = attentionUnits.filter { $0.load == "loaded" }
        guard let unit = units.first(where: { $0.name == path }), !unit.isEnabled else { return }
        try attempt("enable", [path], "could not be enabled")
        say("enabled: \(path) shows a notification when a sign-in has ended")
        // Both units end with the desktop's session.
        if try shown(["graphical-session.target"]).contains(where: { $0["ActiveState"] == "active" }) {
            // The path waits for changes; the service shows what is there already.
            try attempt("start", units.map(\.name), "could not be started")
        }
    }

    /// Empty if they are not known.
    private var attentionUnits: [ServiceStatus.Unit] {
        let shown = try? shown([Self.attention.path, Self.attention.service])
        return (shown ?? []).map(ServiceStatus.Unit.init)
    }

    /// Has systemd read the units again, and restarts userd if it runs.
    func reload() throws {
        try attempt("daemon-reload", [], "could not be read again")
        if try shown().contains(where: { $0["Id"] == "userd.service" && $0["ActiveState"] == "active" }) {
            try attempt("restart", ["userd.service"], "could not be restarted")
        }
    }

    /// The units, after a daemon-reload if needed. Throws if they are missing, masked or invalid.
    private func usableUnits() throws -> [ServiceStatus.Unit] {
        var shown = try shown()
        if shown.contains(where: { $0["NeedDaemonReload"] == "yes" || $0["LoadState"] != "loaded" }) {
            try attempt("daemon-reload", [], "could not be read again")
            shown = try self.shown()
        }
        let units = shown.map(ServiceStatus.Unit.init)
        let missing = units.filter { !$0.isInstalled }.map(\.name)
        guard missing.isEmpty else {
            throw CommandError(
                "not installed: \(list(missing))", .failed,
                advice: "install userd's package, or run `make install` in its sources;",
                "without the units, run `userd` in your session")
        }
        let masked = units.filter { $0.load == "masked" }.map(\.name)
        guard masked.isEmpty else {
            throw CommandError(
                "masked, so that they can't start: \(list(masked))", .failed,
                advice:
                    "`systemctl --user unmask \(masked.joined(separator: " "))`, then `userctl service enable`"
            )
        }
        if let bad = units.first(where: { $0.load != "loaded" }) {
            throw CommandError(
                "\(bad.name) can't be used: \(bad.load)", .failed,
                advice: "`systemctl --user status \(bad.name)` says why")
        }
        say("units: " + list(units.compactMap(\.unitFile)))
        return units
    }

    private func start(_ verb: String, _ idle: [String]) throws {
        do throws(ProgramFailure) {
            try systemctl.tell(verb, idle)
        } catch {
            guard let trouble = trouble(try status()) else {
                throw CommandError(
                    "userd did not start: \(error.reason)", .failed,
                    advice: "`journalctl --user -u userd` may say why")
            }
            throw CommandError("userd did not start: \(trouble.message)", .failed, advice: trouble.advice)
        }
    }

    private func enableLinger() throws {
        do throws(ProgramFailure) {
            _ = try probes.output(
                of: "loginctl", ["--no-ask-password", "enable-linger"], within: .seconds(30))
        } catch {
            throw CommandError(
                "lingering could not be turned on: \(error.reason)", .failed,
                advice: "try `sudo loginctl enable-linger \(shellQuoted(probes.user().name))`")
        }
        say("turned lingering on")
    }

    // MARK: Disabling

    /// Stops and disables all units.
    func disable() throws {
        let enabled = names + [Self.attention.path, Self.attention.service]
        let others = try status().inUse.map(\.name).filter { !enabled.contains($0) }
        let still = try stopAndDisable()
        guard still.isEmpty else {
            throw CommandError(
                "enabled for all users of this machine, so they start again at the next login: \(list(still))",
                .failed, advice: Self.masking(still))
        }
        say("what userd keeps stays; `userctl service remove` shows it, and removes it")
        if !others.isEmpty {
            let units = others.map(shellQuoted).joined(separator: " ")
            say(
                "`userctl service enable` leaves these off; `systemctl --user enable --now \(units)` turns them on"
            )
        }
        if linger { say("lingering stays on; `loginctl disable-linger` turns it off") }
    }

    /// - Returns: those that stay enabled, by the administrator.
    func stopAndDisable() throws -> [String] {
        let units = try status().units
        // All at once: a socket that still listens would start the service again.
        let running = units.filter(\.isActive).map(\.name)
        if running.isEmpty {
            say("already stopped")
        } else {
            try attempt("stop", running, "could not be stopped")
            say("stopped: \(list(running))")
        }
        let enabled = units.filter(\.isEnabled).map(\.name)
        guard !enabled.isEmpty else {
            say("already disabled")
            return []
        }
        try attempt("disable", enabled, "could not be disabled")
        let still = try status().units.filter(\.isEnabled).map(\.name)
        let disabled = enabled.filter { !still.contains($0) }
        if !disabled.isEmpty { say("disabled: \(list(disabled))") }
        return still
    }

    static func masking(_ units: [String]) -> String {
        "`systemctl --user mask \(units.map(shellQuoted).joined(separator: " "))` turns them off for you"
    }

    // MARK: -

    private var systemctl: Systemctl { Systemctl(probes: probes) }

    /// From systemd-logind's files: logind itself knows only users who are logged in or linger.
    private var linger: Bool { probes.file("/var/lib/systemd/linger/\(probes.user().name)", true) != .absent }

    private func shown(_ names: [String] = Self.names) throws -> [Systemctl.Properties] {
        do throws(ProgramFailure) {
            return try systemctl.show(names, ServiceStatus.Unit.properties + ["NeedDaemonReload"])
        } catch {
            switch error {
            case .missing:
                throw CommandError(
                    "systemctl is not installed: this machine does not run systemd", .unavailable,
                    advice: "run `userd` in your session: from its autostart, or with another supervisor")
            case .refused(let reason):
                throw CommandError(
                    "your service manager does not answer: \(reason)", .unavailable,
                    advice:
                        "log in as yourself, not with `su` or `sudo`; containers may have none: run `userd` by hand"
                )
            }
        }
    }

    private func attempt(_ verb: String, _ units: [String], _ failure: String) throws {
        do throws(ProgramFailure) {
            try systemctl.tell(verb, units)
        } catch {
            let which = units.isEmpty ? "the units" : list(units)
            throw CommandError(
                "\(which) \(failure): \(error.reason)", .failed, advice: "`userctl doctor` may say more")
        }
    }

    private func list(_ names: [String]) -> String { names.joined(separator: ", ") }
}

extension String {
    /// A sentence as a message: lower case, without the full stop.
    fileprivate var asPhrase: String {
        let phrase = prefix(1).lowercased() + dropFirst()
        return phrase.hasSuffix(".") ? String(phrase.dropLast()) : phrase
    }
}
