/// The units of systemd that listen for the address book, so that nobody else takes its port while userd is away. There is
/// one for each port, of which one is in use.
struct BookUnits {
    static let prefix = "userd-carddav@"

    let probes: DoctorProbes

    /// The ports at which systemd listens.
    func ports() -> [Int] {
        known().compactMap { $0.split(separator: "@").last?.split(separator: ".").first.flatMap { Int($0) } }
    }

    private func name(_ port: Int) -> String { "\(Self.prefix)\(port).socket" }

    /// Whether systemd runs userd and has these units.
    func areUsable(port: Int) -> Bool {
        guard
            let shown = try? Systemctl(probes: probes).show(
                ["userd.service", "userd.socket", name(port)], ["Id", "LoadState", "ActiveState"])
        else { return false }
        return shown[2]["LoadState"] == "loaded" && shown[..<2].contains { $0["ActiveState"] == "active" }
    }

    /// Starts the port's unit now and at each login, and restarts userd, which gets its sockets at its start.
    func enable(port: Int) throws {
        let name = name(port)
        try stop(known().filter { $0 != name })
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

    /// Stops them, and restarts userd, which holds the port until its end.
    /// - Returns: false if there are none.
    func disable() throws -> Bool {
        let known = known()
        guard !known.isEmpty else { return false }
        try stop(known)
        try attempt("try-restart", ["userd.service"])
        return true
    }

    private func stop(_ names: [String]) throws {
        guard !names.isEmpty else { return }
        try attempt("stop", names)
        try attempt("disable", names)
    }

    /// Those that systemd has started, or tried to. Empty without a service manager.
    private func known() -> [String] {
        (try? Systemctl(probes: probes).units(Self.prefix + "*.socket")) ?? []
    }

    private func attempt(_ verb: String, _ units: [String]) throws {
        do throws(ProgramFailure) { try Systemctl(probes: probes).tell(verb, units) } catch {
            throw CommandError(
                "systemd could not \(verb) \(units.joined(separator: " ")): \(error.reason)", .failed,
                advice: "`systemctl --user status \(units[0])` may say why")
        }
    }
}
