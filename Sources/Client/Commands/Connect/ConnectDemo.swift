import ArgumentParser
import CommandSupport
import Diagnostics
import Platform
import UserdAPI
import YAML

extension ConnectSession {
    /// Agrees to the demo: writes `demo: true`, has userd read it, and shows the first people.
    func demo(dryRun: Bool) async throws {
        let written = try file.read()
        let file = console.directoryFile.map { ($0.configuration.text("users.url"), $0.path) }
        let inForce = socket.flatMap(probes.settings)?.first { $0.name == "users.url" }
        if let (url, origin) = file ?? inForce.map({ ($0.value, $0.origin) }), origin != "default" {
            throw CommandError(
                "a directory is connected, \(shownAddress(url ?? "")) (\(origin)), and stays", .failed,
                advice: "for the demo, remove `users:` there first")
        }
        guard !dryRun else { return try console.output.write(Array("demo: true\n".utf8)) }
        if written.text("demo") != "true" {
            try self.file.change(
                byHand: "add the line `demo: true`", mistake: probes.mistake(inConfiguration:)
            ) { file throws(YAMLError) in try file.setting([("demo", "true")]) }
            console.say("wrote `demo: true` to \(self.file.path)")
        }
        try await takeUp { $0.value(of: "demo") == "true" }
        try await paths.perform(SyncCommand.self, ["--wait"])
        try await paths.perform(ListCommand.self, ["--limit", "3"])
        console.say(
            "made-up users and cat facts: `userctl browse` shows them, `userctl connect example.org` replaces them"
        )
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
