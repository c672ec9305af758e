/// userd's log in the journal, by journalctl(1).
struct Journal {
    let probes: DoctorProbes

    /// - Parameters:
    ///   - most: only the newest lines.
    ///   - options: of journalctl.
    func lines(atMost most: Int, _ options: String...) throws(ProgramFailure) -> [String] {
        let arguments = ["--user", "--quiet", "--no-pager", "--lines=\(most)"] + options
        return try probes.output(of: "journalctl", arguments, within: .seconds(10)).lines
    }

    /// userd's last error message since a time.
    /// - Parameter seconds: since 1970.
    func lastError(since seconds: Int64) -> String? {
        try? lines(
            atMost: 1, "--output=cat", "--priority=err", "--since=@\(seconds)",
            "_SYSTEMD_USER_UNIT=userd.service"
        ).last
    }
}
