import ArgumentParser
import Platform
import UserdAPI

struct ServiceCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "service",
        abstract: "Have systemd run userd: enable, disable, or show the service; or remove all of userd.",
        discussion: """
            userd.socket starts userd when a program connects, userd.service at login. Both belong to your own service \
            manager and don't need root. Without lingering, the service manager ends when you log out, and userd with it.

            Examples:
              userctl service enable
              userctl service enable --linger
              userctl service status
              userctl service disable
              userctl service remove
            """,
        subcommands: [
            ServiceEnableCommand.self, ServiceDisableCommand.self, ServiceStatusCommand.self,
            ServiceRemoveCommand.self,
        ])
}

struct ServiceEnableCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "enable", abstract: "Start userd, now and at each login.",
        discussion: """
            Enables and starts userd.socket and userd.service. If systemd gave up restarting userd, starts it again. If no \
            directory is named, asks for one on a terminal, and connects it as `userctl connect NAME` does.

            --kerberos is for users.sasl: a drop-in beside the unit lets the service read the folder of your Kerberos tickets, which \
            KRB5CCNAME or klist(1) names. Tickets in KCM: or in a folder of their own (DIR:) open nothing else. It asks first if much else \
            is in the folder, such as in /tmp, since a service may connect to sockets that it sees, and refuses the runtime \
            directory itself. Remove the drop-in to take it back. Tickets in a kernel keyring can't be had.

            Exits with 1 if the units are not installed, are masked or don't start, and with 69 if no service manager answers.

            Examples:
              userctl service enable
              userctl service enable --linger
              userctl service enable --kerberos
            """)

    @Flag(help: "Let the service read your Kerberos tickets.")
    var kerberos = false

    @Flag(help: "Don't ask.")
    var yes = false

    @Flag(help: "Also run userd while you are logged out: turns on lingering with loginctl(1).")
    var linger = false

    @OptionGroup var paths: PathOptions

    func run() async throws {
        let console = Console.current
        let probes = DoctorProbes.live(console.environment)
        let units = ServiceUnits(probes: probes, now: console.clock.now, say: console.say)
        let socket = paths.paths.places(console).socket
        if kerberos { try console.openForTickets(units, probes, isAgreed: yes) }
        try units.enable(
            linger: linger, isAnswered: socket.map { (try? probes.daemon($0).get()) != nil } ?? false)
        try await paths.offerDirectory(console, asks: !yes)
    }
}

struct ServiceDisableCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "disable", abstract: "Stop userd, and don't start it at login.",
        discussion: """
            Stops and disables userd.socket and userd.service, the sockets of the address book and the timers of published \
            lists, so that nothing starts userd again. The cache, the configuration and the sign-in stay.

            Examples:
              userctl service disable
            """)

    func run() async throws {
        let console = Console.current
        let units = ServiceUnits(probes: .live(console.environment), now: console.clock.now, say: console.say)
        try units.disable()
    }
}

struct ServiceStatusCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Show whether userd's units run, are enabled or have failed, and why.",
        discussion: """
            Exits with 0 if userd runs or its socket can start it; otherwise, or if userd crashes at each start, with \
            69. This shows systemd's view; `userctl status` shows userd's own.

            Examples:
              userctl service status
              userctl service status --output json
            """)

    @OptionGroup var format: FormatOption<DocumentFormat>

    func run() async throws {
        let console = Console.current
        let units = ServiceUnits(probes: .live(console.environment), now: console.clock.now, say: console.say)
        let status = try units.status()
        switch format.output {
        case .table: try console.show(ServiceStatusView(status: status, clock: console.clock))
        case .json: try console.write(document: encoded(status))
        }
        if let trouble = units.trouble(status) {
            console.say(trouble.message)
            console.say(trouble.advice)
        } else if !status.isInstalled {
            console.say("userd's units are not installed: install userd's package, or run `make install`")
        } else if !status.isAtHand {
            console.say("userd is not running: `userctl service enable` starts it")
        }
        if !status.isAtHand { throw Outcome.unavailable }
    }
}
