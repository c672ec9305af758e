import ArgumentParser
import Platform
import TerminalViews
import UserdAPI

struct DoctorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor", abstract: "Check that userd works here, and say how to fix what does not.",
        discussion: """
            Checks the socket, userd's answers, the cache, the systemd units, userd's settings, the upstreams and the \
            clock. Prints what is wrong, and counts what is right; --all lists that, too. The settings are those of the \
            userd that runs; without one, those of this environment and of the configuration file. \
            `userd --check-upstream` tries the upstreams with them. Exits with 1 if a check fails.

            Examples:
              userctl doctor
              userctl doctor --all
              userctl doctor --offline
              userctl doctor --output json
            """)

    @Flag(
        name: [.customLong("offline"), .customLong("no-upstream")], help: "Skip the upstreams and the clock.")
    var offline = false

    @Flag(name: .shortAndLong, help: "Also list the checks that are ok, and those that were skipped.")
    var all = false

    @OptionGroup var format: FormatOption<DocumentFormat>
    @OptionGroup var paths: PathOptions

    func run() async throws {
        let console = Console.current
        var run = DoctorRun(console: console, isTable: format.output == .table)
        try await run.checkAll(paths, offline: offline)
        switch format.output {
        case .json: try console.write(document: encoded(["checks": run.checks]))
        case .table: try console.show(CheckSummary(checks: run.checks, all: all))
        }
        if run.checks.contains(where: { $0.status == .failed }) { throw Outcome.failed }
    }
}

/// The checks so far. In a table, those that found something wrong are printed at once.
struct DoctorRun {
    let console: Console
    let isTable: Bool
    private(set) var checks: [Check] = []

    /// Makes all checks; without upstreams and the clock if `offline`.
    mutating func checkAll(_ paths: PathOptions, offline: Bool) async throws {
        let console = console
        let probes = DoctorProbes.live(console.environment)
        let places = paths.paths.places(console)
        // A path from the command line may differ from the settings on purpose.
        var unnamed: [String: String] = [:]
        if paths.socket == nil { unnamed["socket"] = places.socket }
        if paths.database == nil { unnamed["database"] = places.database }

        var daemon: DaemonState?
        try await add(while: "asking userd") {
            let answer = places.socket.map(probes.daemon)
            daemon = try? answer?.get()
            return socketChecks(places.socket, answer: answer, probes)
        }
        let isAnswered = daemon != nil
        let running = isAnswered ? places.socket.map { RunningUserd(socket: $0, probes) } : nil
        try await add { [standInCheck(running?.settings, isAnswered: isAnswered)] }
        try await add { syncChecks(daemon, console.clock, settings: running?.settings ?? []) }
        try await add(while: "looking at the cache") { await cacheChecks(places.database, probes) }
        try await add(while: "asking systemd") {
            let units = ServiceUnits(probes: probes, now: console.clock.now, say: console.say)
            let status = Result { try units.status() }
            let trouble = (try? status.get()).flatMap(units.trouble)
            return unitChecks(status, trouble, isAnswered: isAnswered)
        }
        var userd = UserdFacts()
        try await add(while: "reading userd's settings") {
            userd = UserdFacts.gather(places: unnamed, of: running, probes)
            return programChecks(userd)
                + secretChecks(
                    running?.settings, warnings: userd.warnings,
                    configFile: console.baseDirectories.configFile, probes)
        }
        try await add(while: "looking at the address book") {
            bookChecks(
                at: places.socket, settings: running?.settings,
                configFile: console.baseDirectories.configFile, probes)
        }
        try await add {
            ticketChecks(running, console.environment.value, probes)
        }
        try await add(while: "trying upstream") {
            upstreamChecks(
                offline
                    ? .leftOut
                    : daemon?.notConnected == nil
                        ? userd.upstreams(probes) : .unchecked("not tried: no directory is named"))
        }
    }

    /// - Parameter activity: shown on stderr meanwhile, if that is a terminal.
    private mutating func add(while activity: String? = nil, _ check: () async -> [Check]) async throws {
        let area = LiveArea(console.errors)
        if let activity { area.draw(Text(activity + "…").style(.secondary)) }
        let new = await check()
        area.erase()
        checks += new
        if isTable { try console.show(CheckList(new.filter(\.isWrong))) }
    }
}
