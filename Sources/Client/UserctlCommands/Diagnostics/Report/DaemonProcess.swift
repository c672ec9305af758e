import Glibc
import Platform
import Varlink

/// A running userd, as /proc shows it (proc(5)).
struct DaemonProcess {
    struct Start: Sendable {
        let program: String
        /// Without the program's name.
        let arguments: [String]
        let environment: [String: String]
        let directory: String
        /// The file that it logs to; nil if it logs elsewhere.
        var log: String?
        /// Whether systemd has started it, and not another program that systemd has started.
        var isService = false
    }

    let id: Int32
    /// Nil without permission, as in a sandbox.
    let start: Start?

    /// The process that serves a socket; nil if unknown.
    static func serving(_ socket: String?, _ probes: DoctorProbes) -> DaemonProcess? {
        if let socket, let client = try? VarlinkClient(path: socket, timeout: .seconds(3)),
            let found = client.listener.flatMap(DaemonProcess.init)
        {
            return found
        }
        // With socket activation, the listener is systemd.
        let unit = try? Systemctl(probes: probes).show(["userd.service"], ["Id", "MainPID"]).first
        return unit?["MainPID"].flatMap(Int32.init).flatMap(DaemonProcess.init)
    }

    /// Nil if the process is not userd.
    private init?(_ id: Int32) {
        guard id > 0, let name = try? RegularFile("/proc/\(id)/comm", upTo: 64),
            name.bytes.elementsEqual("userd\n".utf8)
        else { return nil }
        self.id = id
        start = Start(of: "/proc/\(id)/")
    }

    /// Sends SIGHUP, so that userd reads its settings again.
    func reload() { kill(id, SIGHUP) }

    /// Sends SIGUSR1, so that userd writes its recording.
    /// - Returns: false if userd is an older version that does not handle the signal, and would end by it.
    func askForRecording() -> Bool {
        guard let status = try? RegularFile("/proc/\(id)/status", upTo: 64 << 10) else { return false }
        let masks = String(decoding: status.bytes, as: UTF8.self).split(separator: "\n").compactMap { line in
            ["SigBlk:\t", "SigIgn:\t", "SigCgt:\t"].contains(where: line.hasPrefix)
                ? UInt64(line.dropFirst(8), radix: 16) : nil
        }
        let isExpected = masks.contains { $0 >> UInt64(SIGUSR1 - 1) & 1 == 1 }
        return isExpected && kill(id, SIGUSR1) == 0
    }

    /// The absolute form of a path that is relative to the process's working directory.
    func absolute(_ path: String) -> String {
        path.hasPrefix("/") ? path : (start.map { $0.directory + "/" } ?? "") + path
    }
}

extension DaemonProcess.Start {
    fileprivate init?(of process: String) {
        guard let program = processLink(process + "exe"), let arguments = strings(process + "cmdline"),
            let environment = strings(process + "environ"), let directory = processLink(process + "cwd")
        else { return nil }
        self.init(
            program: program, arguments: Array(arguments.dropFirst()),
            environment: Dictionary(
                environment.compactMap { entry in
                    entry.firstIndex(of: "=").map {
                        (String(entry[..<$0]), String(entry[entry.index(after: $0)...]))
                    }
                }, uniquingKeysWith: { first, _ in first }),
            directory: directory)
        isService = process == "/proc/\(self.environment["SYSTEMD_EXEC_PID"] ?? "")/"
        log = processLink(process + "fd/2").flatMap { path in
            var status = stat()
            return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG ? path : nil
        }
    }
}

/// The target of a link in /proc; nil if it can't be read.
func processLink(_ path: String) -> String? {
    // /proc marks a program file that has been replaced.
    linkTarget(of: path).map { $0.hasSuffix(" (deleted)") ? String($0.dropLast(10)) : $0 }
}

/// The NUL-terminated strings of a file.
private func strings(_ path: String) -> [String]? {
    guard let bytes = try? RegularFile(path, upTo: 4 << 20).bytes else { return nil }
    // Arguments may be empty; nothing follows the last NUL.
    return bytes.split(separator: 0, omittingEmptySubsequences: false).dropLast().map {
        String(decoding: $0, as: UTF8.self)
    }
}

extension DoctorProbes {
    /// The service manager's variables, which are for the daemon's process only.
    private static let managerVariables = [
        "NOTIFY_SOCKET", "WATCHDOG_PID", "WATCHDOG_USEC", "LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES",
    ]

    /// Runs a userd with the arguments and environment of the running one, and with these arguments.
    /// - Parameter start: nil for this program's environment.
    func run(
        _ program: String, as start: DaemonProcess.Start?, _ arguments: [String], within limit: Duration
    ) throws -> ProgramRun {
        guard let start else { return try run(program, arguments, [], limit) }
        // In the daemon's working directory, because its paths may be relative, and with its folders.
        let own = start.isService ? "SYSTEMD_EXEC_PID=$$ " : ""
        return try ProgramRun.of(
            "/bin/sh",
            ["-c", "cd \"$0\" && \(own)exec \"$@\"", start.directory, program] + start.arguments + arguments,
            environment: start.environment.filter { !Self.managerVariables.contains($0.key) }, within: limit)
    }
}
