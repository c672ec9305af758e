import ArgumentParser
import CommandSupport
import Diagnostics
import Platform
import UserdAPI
import YAML

/// Agrees to the demo: writes `demo: true`, has userd read it, and shows the first people. Throws `CommandError`.
struct ConnectDemo {
    private let console: Console
    private let probes: DoctorProbes
    private let paths: PathOptions
    private let socket: String?

    init(_ console: Console, _ probes: DoctorProbes, _ paths: PathOptions) {
        (self.console, self.probes, self.paths) = (console, probes, paths)
        socket = paths.paths.places(console).socket
    }

    func run(dryRun: Bool) async throws {
        guard let path = console.baseDirectories.configFile else {
            throw CommandError("there is no home directory for config.yaml", .failed)
        }
        let file = ConfigurationFile(path: path)
        let written = try file.read()
        if let named = console.directoryFile {
            throw connected(to: named.configuration.text("users.url") ?? "", by: named.path)
        }
        try refuseDirectory(inForce ?? [])
        guard !dryRun else { return try console.output.write(Array("demo: true\n".utf8)) }
        if written.text("demo") != "true" {
            try file.change(byHand: "add the line `demo: true`", mistake: probes.mistake(inConfiguration:)) {
                file throws(YAMLError) in try file.setting([("demo", "true")])
            }
            console.say("wrote `demo: true` to \(path)")
        }
        try await paths.takeUp(console, probes) { $0.value(of: "demo") == "true" }
        try await paths.perform(SyncCommand.self, ["--wait"])
        try await paths.perform(ListCommand.self, ["--limit", "3"])
        console.say(
            "made-up users and cat facts: `userctl browse` shows them, `userctl connect example.org` replaces them"
        )
    }

    private var inForce: [SettingValue]? { socket.flatMap(probes.settings) }

    private func refuseDirectory(_ settings: [SettingValue]) throws {
        guard let url = settings.first(where: { $0.name == "users.url" }), url.origin != "default" else {
            return
        }
        throw connected(to: url.value ?? "", by: url.origin)
    }

    private func connected(to url: String, by origin: String) -> CommandError {
        CommandError(
            "a directory is connected, \(shownAddress(url)) (\(origin)), and stays", .failed,
            advice: "for the demo, remove `users:` there first")
    }
}

extension PathOptions {
    /// Asks for a directory if userd waits for one; if nobody can be asked, only says what to do.
    func offerDirectory(_ console: Console, asks: Bool) async throws {
        guard let words = await connection(console).notConnected() else { return }
        let question = "which directory? (a domain such as example.org, `demo`, or Enter for none) "
        guard asks, console.canAsk, let answer = console.answer(to: question), !answer.isEmpty else {
            return console.say(words)
        }
        try await perform(ConnectCommand.self, ["--", answer])
    }

    /// Lets userd read its settings again, and waits until they are in force.
    /// - Parameter areNew: tells new settings of a userd that does not say when it read them.
    func takeUp(
        _ console: Console, _ probes: DoctorProbes, areNew: ([SettingValue]) -> Bool
    ) async throws {
        func inForce() -> SettingsReply? {
            try? connection(console).userd().getSettings().decoded()
        }
        let former = inForce()?.readAt
        if let daemon = DaemonProcess.serving(paths.places(console).socket, probes) {
            daemon.reload()
        } else {
            try ServiceUnits(probes, now: console.clock.now, say: console.say).enable(
                linger: false, isAnswered: false)
        }
        for _ in 0..<100 {
            if let now = inForce(), now.readAt.map({ $0 != former }) ?? areNew(now.settings) { return }
            try await console.sleep(.milliseconds(100))
        }
        throw CommandError(
            "userd does not use the new settings", .failed,
            advice: "`userctl doctor` looks for the cause; `userctl connect` goes on")
    }

    /// Runs another command of userctl at the same socket.
    func perform<Command: AsyncParsableCommand>(
        _ type: Command.Type, _ arguments: [String]
    ) async throws {
        let places = [("--socket", socket), ("--database", database)]
        let options = places.flatMap { option, path in path.map { [option, $0] } ?? [] }
        guard var command = try Userctl.parseAsRoot([type._commandName] + options + arguments) as? Command
        else { return }
        try await command.run()
    }
}
