import ArgumentParser
import HAR
import Model
import UserdAPI

package struct ReportCommand: AsyncParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "report", abstract: "Write one file that tells all about a bug.",
        discussion: """
            The file holds the versions, userd's settings, states and history, the log of its session, and the recording, \
            where userd records: what it read of upstreams' answers. It is a HAR file: `userd --replay FILE` plays the \
            recording back. Passwords, tokens and cookies are not in it; people's names and addresses are, so look through it \
            before you send it, or leave the recording out. What --log names is put in as it is, and so is a recording made \
            with record_raw, which is only put in where --recording names it.

            Without a recording it tells what happened, but can't show it again: start userd with `--record FILE`, or set \
            `record: FILE` in its configuration and restart it, let it happen again, and then write the report.

            Examples:
              userctl report
              userctl report bug.har --no-recording
              userctl report bug.har --recording recorded.har --log userd.log
            """)

    @Argument(
        help: ArgumentHelp(
            "The file to write; - is standard output. (default: userd-report-TIME.har)", valueName: "file"),
        completion: .file())
    var file: String?

    @Option(
        help: ArgumentHelp(
            "Put this recording in, and not the one of the userd that runs.", valueName: "file"),
        completion: .file())
    var recording: String?

    @Flag(help: "Leave the recording out.")
    var noRecording = false

    @Option(
        help: ArgumentHelp("Take the log from this file, and not from the journal.", valueName: "file"),
        completion: .file())
    var log: String?

    @OptionGroup var paths: PathOptions

    package init() {}

    package mutating func validate() throws {
        if recording != nil, noRecording {
            throw ValidationError("--recording and --no-recording exclude each other.")
        }
    }

    package func run() async throws {
        let console = Console.current
        let now = console.clock.now()
        let path = file ?? unused("userd-report-\(console.clock.fileName(now))", ".har")
        // It may be anything: the recording itself, the log, the cache.
        if path != "-", isThere(path) {
            throw CommandError("\(path) is there already", .usage, advice: "name another file, or remove it")
        }
        let probes = DoctorProbes.live(console.environment.all())
        let connection = paths.connection(console)
        let known = try await Known(connection, console)
        let daemon =
            known.daemon == nil ? nil : DaemonProcess.serving(paths.paths.places(console).socket, probes)
        let inquiry = Inquiry(probes, console.environment.all(), daemon)
        let report = BugReport(
            made: now,
            versions: BugReport.Versions(
                userctl: version, userd: known.daemon?.version, system: Inquiry.system),
            printedSettings: inquiry.settings ?? ["not known: \(inquiry.complaint)"],
            states: known.states, history: known.history, log: try inquiry.log(log))

        var source = noRecording ? nil : recording ?? renewed(inquiry, console)
        var recorded = try source.map(Recording.init(ofUserd:))
        if let path = source, recording == nil, recorded?.session?.isRaw == true {
            console.say(
                "\(path) was made with record_raw and may hold passwords: it is left out unless --recording names it"
            )
            (source, recorded) = (nil, nil)
        }
        let har = try report.har(with: recorded)
        if path == "-" { return try console.output.write(har) }
        try writeWhole(har, to: path, isPrivate: true)
        try console.output.write(Array((path + "\n").utf8))
        console.say(
            "this tells of \(counted(report.history.count, "transition")), with "
                + "\(counted(report.log.lines.count, "line")) of log (\(report.log.source)) and "
                + (source.map { "the recording \($0)" } ?? "no recording"))
        console.say(
            source == nil
                ? "without a recording nobody can see it happen again: `userctl report --help` says how to make one"
                : "it holds what upstreams answered, people's names among it: look through it before you send it"
        )
    }

    /// The recording of the userd that runs, as it is now; nil where there is none.
    private func renewed(_ inquiry: Inquiry, _ console: Console) -> String? {
        guard let path = inquiry.recording else { return nil }
        if inquiry.renewed(path) { return path }
        guard isThere(path) else {
            console.say("userd was not started with the setting record, and has written no \(path)")
            return nil
        }
        console.say("userd has not written \(path) anew: this is what was there")
        return path
    }
}

/// What userd knows, or its cache, or nobody.
private struct Known {
    var daemon: DaemonState?
    var states: [State] = []
    var history: [State] = []

    /// A report that lacks them may still tell why.
    init(_ connection: Connection, _ console: Console) async throws {
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
    /// `20260102-030405`, local time.
    fileprivate func fileName(_ time: Timestamp) -> String {
        String(text(time).compactMap { $0 == " " ? "-" : $0.isNumber ? $0 : nil })
    }
}
