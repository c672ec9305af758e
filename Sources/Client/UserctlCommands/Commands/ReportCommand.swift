import ArgumentParser
import Glibc
import HTTP
import Model
import TerminalViews
import UserdAPI

struct ReportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "report", abstract: "Write one file for a bug report.",
        discussion: """
            The file is JSON that you can post: versions, settings, states, history, what doctor found, userd's log, and the \
            shape of upstream's last list: how many records came on each page, how often each field was there, its kinds and \
            lengths. It holds no recording, no body of an answer, and nothing of people's records. Of messages, it has \
            userd's own words alone: … stands for everything else, and host1.example for a host.

            --with-data makes a HAR file instead, with userd's recording of upstreams' answers and with messages, settings and \
            log as they are; `userd --replay FILE` plays it back. It has no passwords, tokens or cookies, but people's names and \
            addresses: send it only to somebody who may have them. To have a recording, start userd with `--record FILE`, or \
            set `record: FILE` in its configuration and restart it, and let the bug happen again. A recording made with \
            record_raw is included only if --recording names it.

            Examples:
              userctl report
              userctl report -o bug.json --check-upstream
              userctl report bug.har --with-data
              userctl report bug.har --recording recorded.har --log userd.log
            """)

    @Argument(
        help: ArgumentHelp(
            "The file to write; - is standard output. (default: userd-report-TIME.json)", valueName: "file"),
        completion: .file())
    var file: String?

    @Option(
        name: [.customShort("o", allowingJoined: true), .long],
        help: ArgumentHelp("The same as FILE.", valueName: "file"), completion: .file())
    var output: String?

    @Flag(
        help:
            "Include the recording, and messages, settings and log as they are: people's names and addresses."
    )
    var withData = false

    @Option(
        help: ArgumentHelp(
            "Include this recording instead of the running userd's, with the data.", valueName: "file"),
        completion: .file())
    var recording: String?

    @Flag(help: "Include no recording, as without --with-data.")
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
        let data = recording == nil ? withData ? "--with-data" : nil : "--recording"
        if noRecording, let data {
            throw ValidationError("\(data) and --no-recording can't be combined.")
        }
        if recording != nil { withData = true }
    }

    func run() async throws {
        let console = Console.current
        let now = console.clock.now()
        let path =
            file ?? output
            ?? unused { number in
                "userd-report-\(console.clock.fileName(now))\(number > 1 ? "-\(number)" : "")"
                    + (withData ? ".har" : ".json")
            }
        // The file could be the recording itself, the log or the cache.
        if path != "-", isThere(path) {
            throw CommandError("\(path) already exists", .usage, advice: "name another file, or remove it")
        }
        let probes = DoctorProbes.live(console.environment)
        let connection = paths.connection(console)
        var report = BugReport(made: now, versions: .init(userctl: version, system: ReportCollector.system))
        try await report.read(connection, console)
        let daemon =
            report.versions.userd == nil
            ? nil : DaemonProcess.serving(paths.paths.places(console).socket, probes)
        let collector = ReportCollector(probes, daemon)
        report.printedSettings = collector.settings ?? ["unknown: \(collector.complaint)"]
        report.log = try collector.log(log)
        var run = DoctorRun(console: console, isTable: false)
        try await run.checkAll(paths, offline: true)
        report.checks = run.checks
        if checkUpstream {
            switch collector.upstreams() {
            case .checked(let checks): report.upstreams = checks
            case .unchecked(let reason): console.say("the upstreams could not be tried: \(reason)")
            case .leftOut: break
            }
        }
        let has =
            "the report has \(counted(report.history.count, "transition")), "
            + "\(counted(report.log.lines.count, "line")) of log (\(report.log.source))"
        guard withData else {
            try write(report.published(), to: path, console)
            console.say("\(has), and nothing of people's records: read it, then post it")
            return console.say("if somebody who may have them asks for the records, too: --with-data")
        }
        let source = recording ?? renewed(collector, console)
        var recorded = try source.map(Recording.init(ofUserd:))
        if let source, recording == nil, recorded?.session?.isRaw == true {
            console.say(
                "\(source) was made with record_raw and may hold passwords: it is left out unless --recording names it"
            )
            recorded = nil
        }
        try write(report.har(with: recorded), to: path, console)
        console.say(has + " and " + (recorded == nil ? "no recording" : "the recording \(source ?? "")"))
        if recorded == nil {
            console.say(
                "without a recording the bug can't be reproduced: `userctl report --help` says how to make one"
            )
        }
        console.say(
            "it holds people's names and addresses: read it, and send it only to somebody who may have them")
    }

    private func write(_ bytes: [UInt8], to path: String, _ console: Console) throws {
        if path == "-" { return try console.output.write(bytes) }
        try writeAtomically(bytes, to: path, isPrivate: true)
        try console.output.write(path + "\n")
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

extension BugReport {
    /// Reads states and history from userd or its cache file. Errors are printed, not thrown: a report without states is
    /// still useful.
    fileprivate mutating func read(_ connection: UserdOrCache, _ console: Console) async throws {
        do {
            let daemon = try await connection.daemonState()?.decoded()
            versions.userd = daemon?.version
            if daemon != nil { list = try? connection.userd().getSurvey().decoded().list }
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

/// The first of a file's names that is not taken; they are numbered from 1.
func unused(_ name: (Int) -> String) -> String {
    var number = 1
    while isThere(name(number)) { number += 1 }
    return name(number)
}

extension WallClock {
    /// `20260102-030405`, in local time.
    fileprivate func fileName(_ time: Timestamp) -> String {
        String(text(time).compactMap { $0 == " " ? "-" : $0.isNumber ? $0 : nil })
    }
}
