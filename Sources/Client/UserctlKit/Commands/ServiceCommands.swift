import ArgumentParser
import BaseDirectories
import UserdAPI

package struct ServiceCommand: AsyncParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "service",
        abstract: "Have systemd run userd for you: enable it, disable it, look at it.",
        discussion: """
            userd.socket starts userd when somebody asks for it, userd.service at login. Both belong to your own service \
            manager; nothing here needs root. Without lingering that manager, and userd with it, ends when you log out.

            Examples:
              userctl service enable
              userctl service enable --linger
              userctl service status
              userctl service disable
            """,
        subcommands: [
            ServiceEnableCommand.self,
            ServiceDisableCommand.self,
            ServiceStatusCommand.self,
        ])

    package init() {}
}

struct ServiceEnableCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "enable", abstract: "Start userd, now and at each login.",
        discussion: """
            Enables and starts userd.socket and userd.service; what is so already stays. A userd that ended too often to be \
            started again gets another chance. Exits with 1 where the units are not installed, are masked or do not start, \
            and with 69 where no service manager answers.

            Examples:
              userctl service enable
              userctl service enable --linger
            """)

    @Flag(help: "Let userd run without a login, too: has loginctl(1) turn lingering on.")
    var linger = false

    @OptionGroup var paths: PathOptions

    func run() async throws {
        let console = Console.current
        let probes = DoctorProbes.live(console.environment.all())
        let units = try ServiceUnits(probes, now: console.clock.now, say: console.say)
        let socket = paths.paths.places(console).socket
        try units.enable(
            linger: linger, isAnswered: socket.map { (try? probes.daemon($0).get()) != nil } ?? false)
    }
}

struct ServiceDisableCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "disable", abstract: "Stop userd, and start it no more.",
        discussion: """
            Stops and disables userd.socket and userd.service. What userd has cached stays, and so does its configuration.

            Examples:
              userctl service disable
            """)

    func run() async throws {
        let console = Console.current
        let usual = console.baseDirectories
        let leftovers = [usual.database, usual.configFile].compactMap { $0.map { parent(of: $0) } }
        let probes = DoctorProbes.live(console.environment.all())
        try ServiceUnits(probes, now: console.clock.now, say: console.say)
            .disable(leftovers: leftovers.filter { probes.file($0, true) != .absent })
    }
}

struct ServiceStatusCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status", abstract: "Show how userd's units are: running, enabled, failed, and why.",
        discussion: """
            Exits with 0 where userd runs, or its socket is there to start it, and with 69 where it does not, as where it \
            ends each time that it is started. `userctl status` shows what userd does, this what systemd knows of it.

            Examples:
              userctl service status
              userctl service status --output json
            """)

    @OptionGroup var format: FormatOption<DocumentFormat>

    func run() async throws {
        let console = Console.current
        let units = try ServiceUnits(
            .live(console.environment.all()), now: console.clock.now, say: console.say)
        let status = try units.status()
        switch format.output {
        case .table: try console.show(ServiceStatusView(status, clock: console.clock))
        case .json: try console.write(document: encoded(status))
        }
        if let trouble = units.trouble(status) {
            console.say(trouble.message)
            console.say(trouble.advice)
        } else if !status.isInstalled {
            console.say(
                "userd's units are not installed: its package brings them, and so does `make install`")
        } else if !status.isAtHand {
            console.say("userd is not running: `userctl service enable` starts it")
        }
        if !status.isAtHand { throw Outcome.unavailable }
    }
}
