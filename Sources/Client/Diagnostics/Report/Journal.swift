import CommandSupport

/// userd's log in the journal, by journalctl(1).
package struct Journal {
    private static let timeout = Duration.seconds(10)

    private let probes: DoctorProbes

    init(_ probes: DoctorProbes) { self.probes = probes }

    /// - Parameters:
    ///   - most: only the newest lines.
    ///   - options: of journalctl.
    /// - Returns: the lines, and journalctl's error, if any.
    func lines(atMost most: Int, _ options: String...) -> (lines: [String], complaint: String?) {
        guard let program = probes.find("journalctl") else { return ([], "journalctl is not installed") }
        do {
            let arguments = ["--user", "--quiet", "--no-pager", "--lines=\(most)"] + options
            let run = try probes.run(program, arguments, Self.timeout)
            let lines = run.output.split(separator: "\n").map(String.init)
            return (run.code == 0 ? lines : [], run.code == 0 ? nil : run.complaint)
        } catch {
            return ([], "journalctl: \(error)")
        }
    }

    /// userd's last error message since a time.
    /// - Parameter seconds: since 1970.
    func lastError(since seconds: Int64) -> String? {
        lines(
            atMost: 1, "--output=cat", "--priority=err", "--since=@\(seconds)",
            "_SYSTEMD_USER_UNIT=userd.service"
        ).lines.last
    }
}
