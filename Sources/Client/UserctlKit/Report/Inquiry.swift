import Glibc
import Model
import UserdAPI

/// Finds out what a bug report tells.
struct Inquiry {
    let probes: DoctorProbes
    let environment: [String: String]
    /// The userd that answers; nil where none does, or nobody knows which it is.
    let daemon: DaemonProcess?
    /// As `userd --print-config` prints them in the daemon's place; nil where it refuses.
    let settings: [String]?
    /// Why it refuses.
    let complaint: String

    private static let patience = Duration.seconds(10)
    /// Lines of the log, and bytes.
    private static let most = (lines: 2000, bytes: 1 << 20)
    /// What tells a program who has started it.
    private static let ofTheManager = [
        "NOTIFY_SOCKET", "WATCHDOG_PID", "WATCHDOG_USEC", "LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES",
    ]

    init(_ probes: DoctorProbes, _ environment: [String: String], _ daemon: DaemonProcess?) {
        self.probes = probes
        self.environment = environment
        self.daemon = daemon
        guard let program = daemon?.start?.program ?? probes.find("userd") else {
            (settings, complaint) = (nil, "there is no userd beside this userctl, and none in PATH")
            return
        }
        do {
            // From where the daemon was started, which its paths may be relative to (env(1)).
            let place = daemon?.start.map { ["-C", $0.directory] } ?? []
            let run = try ProgramRun.of(
                "/usr/bin/env", place + [program] + (daemon?.start?.arguments ?? []) + ["--print-config"],
                environment: (daemon?.start?.environment ?? environment).filter {
                    !Self.ofTheManager.contains($0.key)
                }, within: Self.patience)
            settings = run.code == 0 ? run.output.lines : nil
            complaint = run.complaint
        } catch {
            (settings, complaint) = (nil, "\(program): \(error)")
        }
    }

    /// The file that userd records into; nil where it does not.
    var recording: String? {
        guard let path = UserdFacts.value(of: "record", in: settings?.joined(separator: "\n") ?? ""),
            !path.isEmpty
        else { return nil }
        return daemon?.absolute(path) ?? path
    }

    /// Has userd write its recording, and waits until it has.
    /// - Returns: false where it has not, in some seconds.
    func renewed(_ recording: String) -> Bool {
        guard let daemon else { return false }
        let before = Version(of: recording)
        guard daemon.askForRecording() else { return false }
        let deadline = ContinuousClock.now + Self.patience
        while Version(of: recording) == before {
            guard ContinuousClock.now < deadline else { return false }
            usleep(10_000)
        }
        return true
    }

    /// - Parameter file: that a person has named.
    func log(_ file: String?) throws -> BugReport.Log {
        if let file = file ?? daemon?.start?.log {
            let lines = String(decoding: try readEnd(of: file, atMost: Self.most.bytes), as: UTF8.self).lines
            return BugReport.Log(source: file, lines: lines.suffix(Self.most.lines))
        }
        func missing(_ why: String) -> BugReport.Log {
            BugReport.Log(source: "none: \(why); --log FILE names one", lines: [])
        }
        // Of this boot, and so of those, too, that ended before the one that runs.
        let found = Journal(probes).lines(
            atMost: Self.most.lines, "--output=short-iso-precise", "--boot", "--unit=userd.service")
        guard found.lines.isEmpty else { return BugReport.Log(source: "journal", lines: found.lines) }
        return missing(found.complaint ?? "the journal has no lines of userd")
    }

    /// Of the machine, such as `Debian GNU/Linux 12 (bookworm), Linux 6.1.0`.
    static var system: String {
        let release = (try? readFile("/etc/os-release", atMost: 64 << 10)).map {
            String(decoding: $0, as: UTF8.self).lines
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

/// Which of the files that have had a name this is.
private struct Version: Equatable {
    var file: ino_t
    var seconds: Int
    var nanoseconds: Int

    init?(of path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        (file, seconds, nanoseconds) = (status.st_ino, status.st_mtim.tv_sec, status.st_mtim.tv_nsec)
    }
}

extension String {
    fileprivate var lines: [String] { split(separator: "\n").map(String.init) }
}
