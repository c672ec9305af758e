import Model

/// userd's units, as `userctl service` has them enabled, disabled and shown. What goes wrong is a `CommandError`.
package struct ServiceUnits {
    private let names = UnitFacts.names
    private let systemctl: Systemctl
    private let probes: DoctorProbes
    private let now: () -> Timestamp
    private let say: (String) -> Void

    /// - Parameter say: called with each thing that was done, and what there is to know.
    package init(
        _ probes: DoctorProbes, now: @escaping () -> Timestamp, say: @escaping (String) -> Void
    ) throws {
        self.probes = probes
        self.now = now
        self.say = say
        systemctl = try translating { () throws(Systemctl.Failure) in try Systemctl(probes) }
    }

    package func status() throws -> ServiceStatus {
        let properties = ServiceStatus.Unit.properties
        let units = try translating { () throws(Systemctl.Failure) in try systemctl.show(names, properties) }
        return ServiceStatus(units: units.map(ServiceStatus.Unit.init), linger: linger)
    }

    package func trouble(_ status: ServiceStatus) -> ServiceTrouble? {
        ServiceTrouble(status, Journal(probes), now: now())
    }

    // MARK: Enabling

    /// Has both units start by themselves, and starts them.
    /// - Parameter isAnswered: whether a userd answers at the socket, whoever has started it.
    package func enable(linger wanted: Bool, isAnswered: Bool) throws {
        let units = try usableUnits()
        guard isAnswered == false || units.contains(where: \.isActive) else {
            throw CommandError(
                "a userd that was started by hand is in the way", .failed,
                advice: "end that one, then `userctl service enable`")
        }
        if units.allSatisfy(\.isEnabled) {
            say("already enabled: \(list(names))")
        } else {
            try attempt("enable", names, "could not be enabled")
            say("enabled: \(list(names)) start by themselves from now on")
        }
        let status = try status()
        let failing = status.units.filter(\.isFailing).map(\.name)
        let idle = zip(units, status.units).filter { !$0.isActive || $1.isFailing }.map(\.0.name)
        if idle.isEmpty {
            say("already running")
            if let trouble = trouble(status) { say(trouble.message) }
        } else {
            // Who has failed too often may not start before that.
            if !failing.isEmpty { try attempt("reset-failed", failing, "stay failed") }
            // systemd starts one that it will start again in a while no sooner, but for a restart.
            try start(failing.isEmpty ? "start" : "restart", idle)
            say("started: \(list(idle))")
        }
        if wanted, !linger { try enableLinger() }
        say(linger ? lingering.asPhrase : notLingering.asPhrase)
    }

    /// Installed, and as the files are now.
    private func usableUnits() throws -> [UnitFacts.Unit] {
        let properties = UnitFacts.Unit.properties + ["NeedDaemonReload", "FragmentPath"]
        func show() throws -> [Systemctl.Properties] {
            try translating { () throws(Systemctl.Failure) in try systemctl.show(names, properties) }
        }
        var shown = try show()
        if shown.contains(where: { $0["NeedDaemonReload"] == "yes" || $0["LoadState"] != "loaded" }) {
            try attempt("daemon-reload", [], "could not be read again")
            shown = try show()
        }
        let units = shown.map(UnitFacts.Unit.init)
        let missing = units.filter { $0.load == "not-found" }.map(\.name)
        guard missing.isEmpty else {
            throw CommandError(
                "not installed: \(list(missing))", .failed,
                advice: "the package of userd brings them, and so does `make install` in its sources;",
                "without them, run `userd` in your session")
        }
        let masked = units.filter { $0.load == "masked" }.map(\.name)
        guard masked.isEmpty else {
            throw CommandError(
                "masked, so that nothing can start: \(list(masked))", .failed,
                advice:
                    "`systemctl --user unmask \(masked.joined(separator: " "))`, then `userctl service enable`"
            )
        }
        if let bad = units.first(where: { $0.load != "loaded" }) {
            throw CommandError(
                "\(bad.name) can't be used: \(bad.load)", .failed,
                advice: "`systemctl --user status \(bad.name)` says why")
        }
        say("units: " + shown.compactMap { $0["FragmentPath"] }.joined(separator: ", "))
        return units
    }

    private func start(_ verb: String, _ idle: [String]) throws {
        do throws(Systemctl.Failure) {
            try systemctl.tell(verb, idle)
        } catch {
            guard let trouble = trouble(try status()) else {
                throw CommandError(
                    "userd did not start: \(error.words)", .failed,
                    advice: "`journalctl --user -u userd` may say why")
            }
            throw CommandError("userd did not start: \(trouble.message)", .failed, advice: trouble.advice)
        }
    }

    private func enableLinger() throws {
        let user = probes.user().name
        let advice = "`sudo loginctl enable-linger \(shellQuoted(user))` may do it"
        guard let loginctl = probes.find("loginctl") else {
            throw CommandError("there is no loginctl to turn lingering on", .failed, advice: advice)
        }
        let complaint: String?
        do {
            let run = try probes.run(loginctl, ["--no-ask-password", "enable-linger"], .seconds(30))
            complaint = run.code == 0 ? nil : run.complaint
        } catch {
            complaint = "loginctl: \(error)"
        }
        if let complaint {
            throw CommandError("lingering could not be turned on: \(complaint)", .failed, advice: advice)
        }
        say("turned lingering on")
    }

    // MARK: Disabling

    /// Stops both units, and has neither start by itself.
    /// - Parameter leftovers: files that stay.
    package func disable(leftovers: [String]) throws {
        let units = try shownUnits()
        // The socket with the service: by itself it would start it again.
        let running = units.filter(\.isActive).map(\.name)
        if running.isEmpty {
            say("already stopped")
        } else {
            try attempt("stop", running, "could not be stopped")
            say("stopped: \(list(running))")
        }
        let enabled = units.filter(\.isEnabled).map(\.name)
        if enabled.isEmpty {
            say("already disabled")
        } else {
            try attempt("disable", enabled, "could not be disabled")
            let still = try shownUnits().filter(\.isEnabled).map(\.name)
            guard still.isEmpty else {
                throw CommandError(
                    "enabled for all users of this machine, so that it starts again at the next login: \(list(still))",
                    .failed,
                    advice: "`systemctl --user mask \(still.joined(separator: " "))` keeps it off for you")
            }
            say("disabled: \(list(enabled))")
        }
        if !leftovers.isEmpty {
            let files = leftovers.map(shellQuoted).joined(separator: " ")
            say("cache and configuration stay; `rm -r \(files)` removes them")
        }
        if linger { say("lingering stays on; `loginctl disable-linger` turns it off") }
    }

    // MARK: -

    private var linger: Bool { lingers(probes.user().name, probes) }

    private func shownUnits() throws -> [UnitFacts.Unit] {
        try translating { () throws(Systemctl.Failure) in
            try systemctl.show(names, UnitFacts.Unit.properties).map(UnitFacts.Unit.init)
        }
    }

    private func attempt(_ verb: String, _ units: [String], _ failure: String) throws {
        do throws(Systemctl.Failure) {
            try systemctl.tell(verb, units)
        } catch {
            let which = units.isEmpty ? "the units" : list(units)
            throw CommandError(
                "\(which) \(failure): \(error.words)", .failed, advice: "`userctl doctor` may say more")
        }
    }

    private func list(_ names: [String]) -> String { names.joined(separator: ", ") }
}

extension Systemctl.Failure {
    fileprivate var words: String {
        switch self {
        case .missing: "there is no systemctl"
        case .refused(let reason): reason
        }
    }
}

extension String {
    /// As part of a sentence of its own.
    fileprivate var asPhrase: String {
        let phrase = prefix(1).lowercased() + dropFirst()
        return phrase.hasSuffix(".") ? String(phrase.dropLast()) : phrase
    }
}

/// What keeps the manager from being asked at all.
private func translating<T>(_ body: () throws(Systemctl.Failure) -> T) throws -> T {
    do throws(Systemctl.Failure) {
        return try body()
    } catch {
        switch error {
        case .missing:
            throw CommandError(
                "there is no systemctl: this machine does not run systemd", .unavailable,
                advice: "run `userd` in your session: from its autostart, or with another supervisor")
        case .refused(let reason):
            throw CommandError(
                "no service manager of yours can be asked: \(reason)", .unavailable,
                advice:
                    "log in as yourself, not by `su` or `sudo`; in a container there may be none: run `userd` by hand"
            )
        }
    }
}
