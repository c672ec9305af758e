import ArgumentParser
import CommandSupport
import Diagnostics
import Glibc
import MessageText
import Model
import Platform
import UserdAPI
import YAML

struct ConnectCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "connect", abstract: "Connect userd to your organisation's directory.",
        discussion: """
            Finds out which directory the organisation has, asks for what only you know, writes config.yaml, has userd read it, \
            lets you sign in, and syncs. NAME is a domain, such as that of your email address, or the https://, ldaps:// or \
            ldap:// address of a directory. Nothing secret is sent to find it. `demo` stands for twenty made-up users and cat facts, \
            by one line in config.yaml.

            --device and --paste are for machines without a browser: `userctl sign-in --help` explains them.

            Without a terminal, or with --dry-run, it prints what it found and the lines of config.yaml, and changes nothing.

            Examples:
              userctl connect example.org
              userctl connect https://idp.example.org/scim/v2
              userctl connect ldaps://ldap.example.org
              userctl connect example.org --dry-run
              userctl connect example.org --device
              userctl connect demo
            """)

    @Argument(help: ArgumentHelp("A domain or an address.", valueName: "name"))
    var name: String

    @Flag(help: "Print what is found and the lines of config.yaml, and change nothing.")
    var dryRun = false

    @Flag(help: "Ask Microsoft for the domain even if its DNS does not lead there.")
    var askMicrosoft = false

    @OptionGroup var way: SignInOptions
    @OptionGroup var paths: PathOptions

    mutating func validate() throws {
        guard !name.trimmingBlanks().isEmpty else {
            throw ValidationError("The name is empty, but a domain or an address is expected.")
        }
    }

    func run() async throws {
        let console = Console.current
        let probes = DoctorProbes.live(console.environment)
        if name == "demo" { return try await ConnectDemo(console, probes, paths).run(dryRun: dryRun) }
        console.say("asking what \(name) leads to; a server that stays silent is left after 10 seconds")
        var found = try probes.discovered(name, asksMicrosoft: askMicrosoft)
        found.offerTickets(of: Klist(probes).realm, domain: name)
        for complaint in found.complaints { console.say(complaint) }
        guard !found.directories.isEmpty else {
            let byHand =
                "name the address of its list of users, or write config.yaml yourself: `userd --default-config`"
            // Microsoft is asked for domains.
            let microsoft =
                "if it uses Microsoft 365, `userctl connect \(name) --ask-microsoft` asks Microsoft for it"
            throw CommandError(
                "no directory of \(name) was found", .failed,
                advice: name.contains("://") ? [byHand] : [byHand, microsoft])
        }
        for (number, directory) in found.directories.enumerated() {
            try print(
                "\(number + 1)  \(directory.name) (\(directory.certainty.rawValue)): \(directory.because)",
                console)
            if dryRun || !console.canAsk { try show(directory, console) }
        }
        guard !dryRun, console.canAsk else { return }
        guard let path = console.baseDirectories.configFile else {
            throw CommandError("there is no home directory for config.yaml", .failed)
        }
        let dialog = ConnectDialog(
            ask: console.answer, folder: parent(of: path))
        guard let directory = dialog.choice(among: found.directories) else { throw Outcome.failed }
        guard let settings = dialog.complete(directory) else {
            if directory.needed.contains("users.oauth.client_id") {
                console.say("without a client id nobody can sign in; send this to your administrator:")
                try print("", console)
                for line in try administratorText(directory) { try print(line, console) }
            }
            throw Outcome.failed
        }
        try await connect(settings, path, dialog, console, probes)
    }

    private func connect(
        _ settings: [DiscoveredSetting], _ path: String, _ dialog: ConnectDialog, _ console: Console,
        _ probes: DoctorProbes
    ) async throws {
        let file = ConfigurationFile(path: path)
        try print("", console)
        for line in try configurationLines(settings) { try print("  " + line, console) }
        try print("", console)
        let byHand = "put these lines in their place, then `systemctl --user reload userd`"
        guard try file.read().values.keys.allSatisfy({ $0.first != "users" }) else {
            throw CommandError("\(path) already has users", .failed, advice: byHand)
        }
        guard dialog.agrees("write these lines to \(path)?") else { throw Outcome.failed }
        let begun = console.clock.now()
        try file.change(byHand: byHand, mistake: probes.mistake(inConfiguration:)) {
            file throws(YAMLError) in try file.setting(settings.map { ($0.name, $0.yaml) })
        }
        console.say("wrote \(path)")
        for (path, address) in secretOrigins(settings, home: console.environment.value("HOME")) {
            // Without it, the secret belongs to the first origin that userd uses it for: this one.
            try? writeAtomically(Array((address + "\n").utf8), to: path + ".origin", isPrivate: true)
        }
        try await applied(settings, console, probes)
        if settings.contains(where: { $0.name == "users.oauth.issuer" }) {
            try await perform(SignInCommand.self, way.arguments)
        }
        try await requireNoRefusal(since: begun, console)
        try await perform(SyncCommand.self, ["users", "--wait"])
        try await perform(ListCommand.self, ["--limit", "3"])
        console.say("connected: `userctl search NAME` finds people, `userctl browse` shows them")
    }

    /// Lets userd read its settings again, and waits until they are in force.
    private func applied(_ settings: [DiscoveredSetting], _ console: Console, _ probes: DoctorProbes)
        async throws
    {
        let socket = paths.paths.places(console).socket
        if let daemon = DaemonProcess.serving(socket, probes) {
            daemon.reload()
        } else {
            try ServiceUnits(probes, now: console.clock.now, say: console.say).enable(
                linger: false, isAnswered: false)
        }
        let url = settings.first { $0.name == "users.url" }?.value
        for _ in 0..<100 {
            let current = socket.flatMap(probes.settings)?.first { $0.name == "users.url" }?.value
            if current == url { return }
            try await console.sleep(.milliseconds(100))
        }
        throw CommandError(
            "userd does not use the new settings", .failed,
            advice: "`userctl doctor` looks for the cause")
    }

    /// Waits for a sync that userd has begun by itself. Throws, and says why, if time does not mend its failure: a wrong
    /// password is not sent a second time.
    private func requireNoRefusal(since begun: Timestamp, _ console: Console) async throws {
        var state = try stateOfUsers(console)
        while state?.phase == .syncing {
            try await console.sleep(.milliseconds(100))
            state = try stateOfUsers(console)
        }
        if let state, state.since >= begun, state.failure?.retryable == false { try console.fail([state]) }
    }

    private func stateOfUsers(_ console: Console) throws -> State? {
        try paths.connection(console).userd().getState().decoded().states.of([.users]).first
    }

    /// Runs another command of userctl at the same socket.
    private func perform<Command: AsyncParsableCommand>(_ type: Command.Type, _ arguments: [String])
        async throws
    {
        let places = [("--socket", paths.socket), ("--database", paths.database)]
        let options = places.flatMap { option, path in path.map { [option, $0] } ?? [] }
        guard var command = try Userctl.parseAsRoot([type._commandName] + arguments + options) as? Command
        else { return }
        try await command.run()
    }

    private func show(_ directory: DiscoveredDirectory, _ console: Console) throws {
        for line in try configurationLines(directory.settings) { try print("     " + line, console) }
        if !directory.needed.isEmpty {
            try print("   and what only you know: \(directory.needed.joined(separator: ", "))", console)
        }
    }

    private func print(_ line: String, _ console: Console) throws {
        try console.output.write(Array((line.sanitised + "\n").utf8))
    }
}
