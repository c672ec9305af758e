import CommandSupport

/// The unit of systemd that listens for the address book, so that nobody else takes its port while userd is away.
package struct BookUnit {
    private let name: String
    private let probes: DoctorProbes

    package init(port: Int, _ probes: DoctorProbes) {
        name = "userd-carddav@\(port).socket"
        self.probes = probes
    }

    /// Whether systemd runs userd and has this unit.
    package var isUsable: Bool {
        guard
            let shown = try? Systemctl(probes: probes).show(
                ["userd.service", "userd.socket", name], ["Id", "LoadState", "ActiveState"])
        else { return false }
        return shown[2]["LoadState"] == "loaded" && shown[..<2].contains { $0["ActiveState"] == "active" }
    }

    /// Starts it now and at each login, and restarts userd, which gets its sockets at its start.
    package func enable() throws {
        try attempt("enable", [name])
        // A socket does not start while its service runs. Until it does, a client may start the service again.
        var attempts = Self.attempts
        while true {
            try attempt("stop", ["userd.service"])
            do { return try attempt("start", [name, "userd.service"]) } catch {
                attempts -= 1
                if attempts == 0 { throw error }
            }
        }
    }

    private static let attempts = 5

    /// Does nothing if it is unknown.
    package func disable() throws {
        guard let shown = try? Systemctl(probes: probes).show([name], ["Id", "LoadState", "UnitFileState"]),
            shown[0]["LoadState"] == "loaded"
        else { return }
        try attempt("stop", [name])
        if shown[0]["UnitFileState"] == "enabled" { try attempt("disable", [name]) }
    }

    private func attempt(_ verb: String, _ units: [String]) throws {
        do throws(ProgramFailure) { try Systemctl(probes: probes).tell(verb, units) } catch {
            throw CommandError(
                "systemd could not \(verb) \(units.joined(separator: " ")): \(error.reason)", .failed,
                advice: "`systemctl --user status \(units[0])` may say why")
        }
    }
}
