import ArgumentParser
import CommandSupport
import Diagnostics
import Glibc
import Model
import Recordings
import UserdAPI

struct ReportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "report", abstract: "Write one file for a bug report.",
        discussion: """
            The file holds the versions, userd's settings, states, history and log, and its recording of upstreams' \
            answers, if it makes one. It is a HAR file; `userd --replay FILE` plays the recording back. It has no \
            passwords, tokens or cookies, but people's names and addresses: read it before you send it, or leave out \
            the recording. Of a file that userd logs to, its own lines are included; the file of --log is included \
            unchanged. A recording made with record_raw is included only if --recording names it.

            Without a recording, a bug can't be reproduced. To record it, start userd with `--record FILE`, or set \
            `record: FILE` in its configuration and restart it. Let the bug happen again, then write the report.

            Examples:
              userctl report
              userctl report -o bug.har --no-recording --check-upstream
              userctl report bug.har --recording recorded.har --log userd.log
            """)

    @Argument(
        help: ArgumentHelp(
            "The file to write; - is standard output. (default: userd-report-TIME.har)", valueName: "file"),
        completion: .file())
    var file: String?

    @Option(
        name: [.customShort("o", allowingJoined: true), .long],
        help: ArgumentHelp("The same as FILE.", valueName: "file"), completion: .file())
    var output: String?

    @Option(
        help: ArgumentHelp(
            "Include this recording instead of the running userd's.", valueName: "file"),
        completion: .file())
    var recording: String?

    @Flag(help: "Leave out the recording.")
    var noRecording = false

    @Option(
        help: ArgumentHelp("Include this log instead of the journal's.", valueName: "file"),
        completion: .file())
    var log: String?

    @Flag(help: "Try the upstreams, and include the result.")
    var checkUpstream = false

    @OptionGroup var paths: PathOptions

    mutating func validate() throws {
        if file != nil, output != nil { throw ValidationError("--output and FILE can't be combined.") }
        if recording != nil, noRecording {
            throw ValidationError("--recording and --no-recording can't be combined.")
        }
    }

    func run() async throws {
        let console = Console.current
        let now = console.clock.now()
        let path = file ?? output ?? unused("userd-report-\(console.clock.fileName(now))", ".har")
        // The file could be the recording itself, the log or the cache.
        if path != "-", isThere(path) {
            throw CommandError("\(path) already exists", .usage, advice: "name another file, or remove it")
        }
        let probes = DoctorProbes.live(console.environment)
        let connection = paths.connection(console)
        let snapshot = try await Snapshot(connection, console)
        let daemon =
            snapshot.daemon == nil ? nil : DaemonProcess.serving(paths.paths.places(console).socket, probes)
        let collector = ReportCollector(probes, daemon)
        var report = BugReport(
            made: now,
            versions: BugReport.Versions(
                userctl: version, userd: snapshot.daemon?.version, system: ReportCollector.system),
            printedSettings: collector.settings ?? ["unknown: \(collector.complaint)"],
            states: snapshot.states, history: snapshot.history, log: try collector.log(log))

        if checkUpstream {
            switch collector.upstreams() {
            case .checked(var checks):
                // They hold people's names, as the recording does.
                if noRecording {
                    for index in checks.upstreams.indices { checks.upstreams[index].sample?.users = [] }
                }
                report.upstreams = checks
            case .unchecked(let reason): console.say("the upstreams could not be tried: \(reason)")
            case .leftOut: break
            }
        }

        var source = noRecording ? nil : recording ?? renewed(collector, console)
        var recorded = try source.map(Recording.init(ofUserd:))
        if let path = source, recording == nil, recorded?.session?.isRaw == true {
            console.say(
                "\(path) was made with record_raw and may hold passwords: it is left out unless --recording names it"
            )
            (source, recorded) = (nil, nil)
        }
        let har = try report.har(with: recorded)
        if path == "-" { return try console.output.write(har) }
        try writeAtomically(har, to: path, isPrivate: true)
        try console.output.write(Array((path + "\n").utf8))
        console.say(
            "the report has \(counted(report.history.count, "transition")), "
                + "\(counted(report.log.lines.count, "line")) of log (\(report.log.source)) and "
                + (source.map { "the recording \($0)" } ?? "no recording"))
        console.say(
            source == nil
                ? "without a recording the bug can't be reproduced: `userctl report --help` says how to make one"
                : "it holds the answers of upstreams, with people's names: read it before you send it"
        )
    }

    /// The running userd's recording, after asking userd to write it; nil if there is none.
    private func renewed(_ collector: ReportCollector, _ console: Console) -> String? {
        guard let path = collector.recording else { return nil }
        if collector.renewed(path) { return path }
        guard isThere(path) else {
            console.say("the recording \(path) does not exist: userd was started without the setting record")
            return nil
        }
        console.say("userd did not update \(path): using the file as it is")
        return path
    }
}

/// States and history, from userd or its cache file.
private struct Snapshot {
    var daemon: DaemonState?
    var states: [State] = []
    var history: [State] = []

    /// Errors are printed, not thrown: a report without states is still useful.
    init(_ connection: UserdOrCache, _ console: Console) async throws {
        do {
            daemon = try await connection.daemonState()?.decoded()
            if let daemon { states = daemon.states } else { states = try await connection.cachedStates() }
            history = try await connection.read(
                .history, \.history, History(resource: nil, limit: 1000)
            ).decoded().states
        } catch {
            guard let error = CommandError(error) else { throw error }
            for line in error.lines { console.say(line) }
        }
        console.note(connection.source)
    }
}

/// Also true for a dangling symbolic link.
func isThere(_ path: String) -> Bool {
    var status = stat()
    return lstat(path, &status) == 0
}

private func unused(_ name: String, _ ending: String) -> String {
    var (path, number) = (name + ending, 1)
    while isThere(path) {
        number += 1
        path = "\(name)-\(number)\(ending)"
    }
    return path
}

private func counted(_ count: Int, _ noun: String) -> String { "\(count) \(noun)\(count == 1 ? "" : "s")" }

extension WallClock {
    /// `20260102-030405`, in local time.
    fileprivate func fileName(_ time: Timestamp) -> String {
        String(text(time).compactMap { $0 == " " ? "-" : $0.isNumber ? $0 : nil })
    }
}
