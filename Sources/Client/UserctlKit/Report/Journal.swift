/// What journalctl(1) shows this user of userd.
struct Journal {
    private static let patience = Duration.seconds(10)

    private let probes: DoctorProbes

    init(_ probes: DoctorProbes) { self.probes = probes }

    /// - Parameters:
    ///   - most: the newest.
    ///   - options: which, and how they are shown.
    /// - Returns: none where there are none, with what journalctl complained of, if anything.
    func lines(atMost most: Int, _ options: String...) -> (lines: [String], complaint: String?) {
        guard let program = probes.find("journalctl") else { return ([], "there is no journalctl") }
        do {
            let arguments = ["--user", "--quiet", "--no-pager", "--lines=\(most)"] + options
            let run = try probes.run(program, arguments, Self.patience)
            let lines = run.output.split(separator: "\n").map(String.init)
            return (run.code == 0 ? lines : [], run.code == 0 ? nil : run.complaint)
        } catch {
            return ([], "journalctl: \(error)")
        }
    }

    /// What userd itself last said of a mistake, since some seconds after 1970.
    func lastError(since seconds: Int64) -> String? {
        lines(
            atMost: 1, "--output=cat", "--priority=err", "--since=@\(seconds)",
            "_SYSTEMD_USER_UNIT=userd.service"
        ).lines.last
    }
}
