import ArgumentParser
import Model
import Platform
import UserdAPI
import YAML

struct CardDAVCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "carddav", abstract: "Give your mail client the users as an address book.",
        discussion: """
            userd can serve the users as a read-only CardDAV address book at an address of this machine: Thunderbird, Evolution, \
            KAddressBook, vdirsyncer and others then complete addresses, also offline. Without a subcommand, shows the address, \
            the user, where the password is, and what to do in each client. carddav.search and carddav.department in \
            config.yaml choose who is in the book.

            Examples:
              userctl carddav enable
              userctl carddav
              userctl carddav show --output json
              userctl carddav disable
            """,
        subcommands: [CardDAVShowCommand.self, CardDAVEnableCommand.self, CardDAVDisableCommand.self],
        defaultSubcommand: CardDAVShowCommand.self)
}

struct CardDAVShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show what a mail client needs for the address book.",
        discussion: """
            Exits with 1 if there is no address book.

            Examples:
              userctl carddav show
              userctl carddav show --output json | jq --raw-output .password
            """)

    @OptionGroup var format: FormatOption<DocumentFormat>

    func run() async throws {
        let console = Console.current
        let book = try BookFiles(console)
        guard let port = try book.port else {
            throw CommandError(
                "there is no address book", .failed, advice: "`userctl carddav enable` makes one")
        }
        guard let password = try book.password.text else {
            throw CommandError(
                "the address book has no password: \(book.password.path) is missing", .failed,
                advice: "`userctl carddav enable` writes one")
        }
        try book.show(
            port: port, password: password, as: format.output, console, .live(console.environment))
    }
}

struct CardDAVEnableCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "enable", abstract: "Serve the address book, now and at each login.",
        discussion: """
            Writes a free port into config.yaml and a random password into a file that only you may read, and has userd take them \
            up. Where systemd runs userd, it holds the port from login to logout. Keeps what is already there.

            On a machine with other people's logins, explains what that means, and asks. Without a terminal, it needs --yes then.

            Examples:
              userctl carddav enable
              userctl carddav enable --evolution
              userctl carddav enable --port 25000 --yes
            """)

    @Option(help: ArgumentHelp("The port, instead of a free one of 20000 to 29999.", valueName: "number"))
    var port: Int?

    @Flag(help: "Also add the book to Evolution and GNOME Contacts.")
    var evolution = false

    @Flag(help: "Don't ask.")
    var yes = false

    @OptionGroup var paths: PathOptions

    mutating func validate() throws {
        if let port, !(1024...65_535).contains(port) {
            throw ValidationError("--port is \(port), but a port from 1024 to 65535 is expected.")
        }
    }

    func run() async throws {
        let console = Console.current
        let probes = DoctorProbes.live(console.environment)
        let book = try BookFiles(console)
        let hasPassword = try book.password.text != nil
        try agree(probes, console)

        let former = try book.port
        let listeners = probes.listeners()
        let chosen =
            port ?? former ?? (20_000...29_999).shuffled().first { listeners.user(at: $0) == nil }
        guard let chosen else { throw CommandError("no port from 20000 to 29999 is free", .failed) }
        if chosen != former {
            guard listeners.user(at: chosen) == nil else {
                throw CommandError(
                    "another program listens at port \(chosen)", .failed,
                    advice: "leave out --port, or name a free one")
            }
            try book.configuration.change(
                byHand: "set carddav.port to \(chosen) in it yourself, then `userctl carddav enable`",
                mistake: probes.mistake(inConfiguration:)
            ) { file throws(YAMLError) in try file.setting([("carddav.port", "\(chosen)")]) }
            console.say("wrote carddav.port \(chosen) to \(book.configuration.path)")
        }
        if !hasPassword {
            try book.password.make()
            console.say("wrote a random password to \(book.password.path)")
        }
        try await takeUp(chosen, book, probes, console)
        let source = EvolutionSource(configFile: book.configuration.path)
        if evolution || source.leadsElsewhere(than: chosen) {
            try source.write(port: chosen, user: probes.user().name)
            console.say("wrote \(source.path); restart Evolution or GNOME Contacts")
        }
        try book.show(port: chosen, password: book.password.text ?? "", as: .table, console, probes)
    }

    /// On a machine with other accounts, says what they could read, and asks.
    private func agree(_ probes: DoctorProbes, _ console: Console) throws {
        let others = probes.otherPeople()
        guard !others.isEmpty, !yes else { return }
        let names = others.prefix(5).joined(separator: ", ") + (others.count > 5 ? ", …" : "")
        console.say("other people may log in to this machine: \(names)")
        console.say(
            "userd refuses their programs. But while neither userd nor systemd holds the port, such as when you are logged out,"
        )
        console.say(
            "one of them could listen there: a mail client that still runs would give them the book's password and show their cards"
        )
        try console.requireAgreement(
            "serve the address book?", command: "userctl carddav enable --yes")
    }

    private func takeUp(
        _ port: Int, _ book: BookFiles, _ probes: DoctorProbes, _ console: Console
    ) async throws {
        let socket = paths.paths.places(console).socket
        let units = BookUnits(probes: probes)
        if units.areUsable(port: port) {
            try units.enable(port: port)
        } else if let daemon = DaemonProcess.serving(socket, probes) {
            daemon.reload()
        } else {
            console.say("userd is not running: `userctl service enable` starts it, and the book with it")
            return
        }
        let isServed = try await console.waits { probes.bookAnswer(port) }
        // The book may be served and yet be of no use.
        for check in bookChecks(
            at: socket, settings: socket.flatMap(probes.settings), configFile: book.configuration.path, probes
        )
        where check.isWrong {
            for line in [check.found] + check.advice { console.say(line) }
        }
        guard !isServed else { return }
        throw CommandError(
            "userd does not serve the address book at port \(port)", .failed,
            advice: "`userctl doctor` looks for the cause")
    }
}

struct CardDAVDisableCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "disable", abstract: "Don't serve the address book any more.",
        discussion: """
            Removes the port from config.yaml, the password, and the file for Evolution. Other settings of the book stay. A port that \
            is set for everybody on the machine is turned off in your config.yaml.

            Examples:
              userctl carddav disable
            """)

    @OptionGroup var paths: PathOptions

    func run() async throws {
        let console = Console.current
        let probes = DoctorProbes.live(console.environment)
        let book = try BookFiles(console)
        let former = try book.port
        if former != nil {
            // The own file overrides those for everybody.
            let isForAll = book.portForAll != nil
            try book.configuration.change(
                byHand: (isForAll ? "set carddav.port to \"\" in" : "remove carddav.port from")
                    + " it yourself, then `userctl carddav disable`",
                mistake: probes.mistake(inConfiguration:)
            ) { file throws(YAMLError) in
                try isForAll ? file.setting([("carddav.port", "\"\"")]) : file.removing("carddav.port")
            }
        }
        // Also those that an earlier call did not reach.
        let hadUnits = try BookUnits(probes: probes).disable()
        let isServed = former != nil || hadUnits
        if isServed { DaemonProcess.serving(paths.paths.places(console).socket, probes)?.reload() }
        try EvolutionSource(configFile: book.configuration.path).remove()
        try book.password.remove()
        console.say(
            isServed
                ? "the address book is no longer served; remove it from your mail client, too"
                : "there is no address book")
    }
}

private struct BookFiles {
    let configuration: ConfigurationFile
    let password: BookPassword
    private let console: Console

    init(_ console: Console) throws {
        self.console = console
        guard let path = console.baseDirectories.configFile else {
            throw CommandError("there is no home directory for config.yaml", .failed)
        }
        configuration = ConfigurationFile(path: path)
        password = BookPassword(configFile: path)
    }

    /// Nil if it is not set. An empty one in config.yaml turns off that for everybody.
    var port: Int? {
        get throws { try (configuration.read().text("carddav.port") ?? portForAll).flatMap { Int($0) } }
    }

    var portForAll: String? { console.configuredForAll("carddav.port") }

    func show(
        port: Int, password: String, as format: DocumentFormat, _ console: Console, _ probes: DoctorProbes
    ) throws {
        let access = BookAccess(port: port, user: probes.user().name, password: password)
        switch format {
        case .json: try console.write(document: encoded(access))
        case .table: try console.print(access.instructions(passwordFile: self.password.path))
        }
    }
}
