import Platform

/// Files beside userd.service that let the service see more. Throws `CommandError`.
extension Console {
    /// The path of a drop-in of userd.service; nil without a home directory.
    func dropIn(_ name: String) -> String? {
        baseDirectories.configFile.map {
            parent(of: parent(of: $0)) + "/systemd/user/userd.service.d/\(name).conf"
        }
    }

    /// Lets the service read a person's Kerberos tickets. Asks if much else is opened with them.
    func openForTickets(_ units: ServiceUnits, _ probes: DoctorProbes, isAgreed: Bool) throws {
        // Throws if no service manager answers.
        _ = try units.status()
        let cache = probes.ticketCache(environment.value("KRB5CCNAME"))
        let places = [environment.value("HOME")].compactMap(\.self) + ["/var/tmp"]
        let runtime = environment.value("XDG_RUNTIME_DIR")
        guard let dropIn = KerberosDropIn(cache, places: places, runtime: runtime) else {
            let reason =
                cache.path == nil
                ? "which a service can't read"
                : "and whoever sees that folder may use the sockets of your session, such as its bus"
            throw CommandError(
                "the tickets are in \(cache), \(reason)", .failed,
                advice: """
                    set default_ccache_name in /etc/krb5.conf to KCM:, or to a folder of the tickets' own, such as \
                    DIR:\(runtime ?? "/run/user/%{uid}")/krb5cc, log in again, and repeat this
                    """)
        }
        guard self.dropIn("kerberos").flatMap(self.file) != Array(dropIn.text.utf8) else { return }
        if let question = dropIn.question, !isAgreed {
            try requireAgreement(question, command: "userctl service enable --kerberos --yes")
        }
        let file = try write(dropIn: dropIn.text, "kerberos")
        say("wrote \(file): userd reads the tickets in \(dropIn.cache)")
        try units.reload()
    }

    /// - Returns: its path.
    func write(dropIn text: String, _ name: String) throws -> String {
        guard let file = dropIn(name) else {
            throw CommandError("there is no home directory for the drop-in", .failed)
        }
        try makePrivateFolder(parent(of: file))
        try writeAtomically(Array(text.utf8), to: file)
        return file
    }
}
