import Glibc
import Platform
import YAML

/// Collects settings, recording and log for a bug report.
struct ReportCollector {
    private let probes: DoctorProbes
    /// The running userd's process; nil if none runs, or it is unknown.
    private let daemon: DaemonProcess?
    private let program: String?
    /// The lines of `userd --print-config`, run with the daemon's arguments and environment; nil if it failed.
    let settings: [String]?
    /// The reason why `userd --print-config` failed.
    let complaint: String

    private static let timeout = Duration.seconds(10)
    /// Limits of the log.
    private static let most = (lines: 2000, bytes: 1 << 20)

    init(_ probes: DoctorProbes, _ daemon: DaemonProcess?) {
        (self.probes, self.daemon) = (probes, daemon)
        program = daemon?.start?.program ?? probes.find("userd")
        guard let program else {
            (settings, complaint) = (nil, "userd is neither in this userctl's folder nor in PATH")
            return
        }
        do {
            let run = try probes.run(
                program, as: daemon?.start, ["--print-config"], within: Self.timeout)
            settings = run.code == 0 ? run.output.lines : nil
            complaint = run.complaint
        } catch {
            (settings, complaint) = (nil, "\(program): \(error)")
        }
    }

    /// The file that userd records into; nil if it does not record.
    var recording: String? {
        let printed = try? Configuration(Array((settings ?? []).joined(separator: "\n").utf8))
        guard let path = printed?.text("record"), !path.isEmpty else { return nil }
        return daemon?.absolute(path) ?? path
    }

    /// Makes userd write its recording, and waits for it.
    /// - Returns: false if userd did not write it within the timeout.
    func renewed(_ recording: String) -> Bool {
        guard let daemon else { return false }
        let before = version(of: recording)
        guard daemon.askForRecording() else { return false }
        let deadline = ContinuousClock.now + Self.timeout
        while version(of: recording) == before {
            guard ContinuousClock.now < deadline else { return false }
            usleep(10_000)
        }
        return true
    }

    /// - Parameter file: the file of --log; nil for userd's lines in the file that it logs to, or else the journal.
    func log(_ asked: String?) throws -> BugReport.Log {
        if let file = asked ?? daemon?.start?.log {
            do throws(FileError) {
                let end = try RegularFile(file, upTo: Self.most.bytes, fromEnd: true)
                var lines = String(decoding: end.bytes, as: UTF8.self).lines
                // A session's programs may share the file, such as ~/.xsession-errors.
                if asked == nil { lines = lines.filter(Self.isOfUserd) }
                return BugReport.Log(source: file, lines: lines.suffix(Self.most.lines))
            } catch {
                throw CommandError(
                    "\(file) \(error)", .usage, advice: "check that the file exists and its permissions")
            }
        }
        var reason = "the journal has no lines from userd"
        do throws(ProgramFailure) {
            // Since the machine started, so that earlier runs of userd are included.
            let lines = try Journal(probes: probes).lines(
                atMost: Self.most.lines, "--output=short-iso-precise", "--boot", "--unit=userd.service")
            if !lines.isEmpty { return BugReport.Log(source: "journal", lines: lines) }
        } catch {
            reason = error.reason
        }
        return BugReport.Log(source: "none: \(reason); --log FILE names one", lines: [])
    }

    /// Whether a line is one of userd's log: `2026-01-02T03:04:05+0000 info userd: …`
    private static func isOfUserd(_ line: String) -> Bool {
        let parts = line.split(separator: " ", maxSplits: 3)
        return line.hasPrefix("userd: ")
            || parts.count == 4 && parts[0].first?.isNumber == true && parts[0].contains("T")
                && parts[2] == "userd:"
    }

    /// Asks the upstreams, with the running userd's settings.
    func upstreams() -> UserdFacts.Upstreams {
        program.map { .init(asking: $0, as: daemon?.start, probes) } ?? .unchecked(complaint)
    }

    /// `Debian GNU/Linux 12 (bookworm), Linux 6.1.0`.
    static var system: String {
        let release = (try? RegularFile("/etc/os-release", upTo: 64 << 10)).map {
            String(decoding: $0.bytes, as: UTF8.self).lines
        }
        let name = release?.first { $0.hasPrefix("PRETTY_NAME=") }?.dropFirst("PRETTY_NAME=".count)
        var kernel = utsname()
        uname(&kernel)
        let version = withUnsafeBytes(of: &kernel.release) {
            String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
        }
        return (name.map { $0.filter { $0 != "\"" } + ", " } ?? "") + "Linux " + version
    }
}

/// Numbers that change when a file is replaced or changed; nil if there is none.
private func version(of path: String) -> [Int]? {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    return [Int(bitPattern: status.st_ino), status.st_mtim.tv_sec, status.st_mtim.tv_nsec]
}
