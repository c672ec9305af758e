import ArgumentParser
import Model
import TerminalViews
import UserdAPI

package struct DoctorCommand: AsyncParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "doctor", abstract: "Check that userd can work here, and say what to do where it can't.",
        discussion: """
            Looks at the socket and who answers there, and with what, the cache, the units of systemd, userd's settings, the way to upstream \
            and the clock. Upstream is tried by `userd --check-upstream`, with the settings that it finds in this environment \
            and in the configuration file. Exits with 1 where something has to be mended.

            Examples:
              userctl doctor
              userctl doctor --offline
              userctl doctor --output json
            """)

    @Flag(
        name: [.customLong("offline"), .customLong("no-upstream")], help: "Leave upstream and the clock out.")
    var offline = false

    @OptionGroup var format: FormatOption<DocumentFormat>
    @OptionGroup var paths: PathOptions

    package init() {}

    package func run() async throws {
        let console = Console.current
        let probes = DoctorProbes.live(console.environment.all())
        let places = paths.paths.places(console)
        // What the command line names is meant to be another.
        var unnamed: [String: String] = [:]
        if paths.socket == nil { unnamed["socket"] = places.socket }
        if paths.database == nil { unnamed["database"] = places.database }
        var report = Report(console: console, isShown: format.output == .table)

        let socket = try await report.add(while: "asking userd") {
            let facts = SocketFacts.gather(path: places.socket, probes)
            return (facts, socketChecks(facts))
        }
        let daemon = try? socket.answer?.get()
        try await report.add(while: "looking at userd's settings") {
            let process = daemon == nil ? nil : DaemonProcess.serving(places.socket, probes)
            let settings = process.flatMap { Inquiry(probes, console.environment.all(), $0).settings }
            return ((), [standInCheck(settings, isAnswered: daemon != nil)])
        }
        try await report.add { ((), syncChecks(daemon, console.clock)) }
        try await report.add(while: "looking at the cache") {
            ((), cacheChecks(await .gather(path: places.database, probes)))
        }
        try await report.add(while: "asking systemd") {
            ((), unitChecks(.gather(isAnswered: daemon != nil, probes)))
        }
        let userd = try await report.add(while: "reading userd's settings") {
            let facts = UserdFacts.gather(places: unnamed, probes)
            return (facts, programChecks(facts))
        }
        try await report.add(while: "trying upstream") {
            ((), upstreamChecks(offline ? .leftOut : userd.upstreams(probes)))
        }
        try report.end()
    }
}

/// The checks so far, shown as they come where they are for people.
private struct Report {
    let console: Console
    let isShown: Bool
    private(set) var checks: [Check] = []

    init(console: Console, isShown: Bool) {
        self.console = console
        self.isShown = isShown
    }

    /// - Parameter activity: said on stderr for as long as it takes, on a terminal that can take it back.
    @discardableResult
    mutating func add<Facts>(
        while activity: String? = nil, _ check: () async -> (Facts, [Check])
    ) async throws -> Facts {
        let area = LiveArea(console.errors)
        if let activity { area.draw(Text(activity + "…").style(.secondary)) }
        let (facts, new) = await check()
        area.erase()
        checks += new
        if isShown { try console.show(CheckList(new)) }
        return facts
    }

    func end() throws {
        if isShown {
            try console.show(
                Column {
                    Spacer()
                    CheckSummary(checks: checks)
                })
        } else {
            try console.write(document: encoded(["checks": checks]))
        }
        if checks.contains(where: { $0.status == .failed }) { throw Outcome.failed }
    }
}
