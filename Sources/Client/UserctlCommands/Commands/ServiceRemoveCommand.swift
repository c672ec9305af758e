import ArgumentParser
import Platform
import StrictJSON
import UserdAPI

struct ServiceRemoveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Stop userd, and remove what it keeps about people and of you.",
        discussion: """
            Shows all of it, and asks. Stops and disables userd's units, revokes your sign-in at the provider, and removes the \
            cache, the sign-in and the address book's password; the configuration and the secrets after a second question or \
            with --configuration. Removes only files that userd and userctl have written, follows no link, and ends with what is \
            left and who can remove it. Then `make uninstall` or `sudo apt purge userd` removes the programs.

            Without a terminal it needs --yes. A sign-in that could not be revoked stays, for another try. Exits with 1 if \
            something that it should remove is still there.

            Examples:
              userctl service remove
              userctl service remove --yes --configuration
            """)

    @Flag(help: "Don't ask.")
    var yes = false

    @Flag(help: "Also remove the configuration and the files of secrets.")
    var configuration = false

    @OptionGroup var paths: PathOptions

    func run() async throws {
        let console = Console.current
        var removal = Removal(console, paths, withConfiguration: configuration)
        try removal.refuseStartedByHand()
        guard !removal.isNothing else {
            console.say("nothing of userd is left to remove")
            return removal.tellLeft(isFirst: false)
        }
        removal.show()
        if !yes {
            try console.requireAgreement("remove this?", command: "userctl service remove --yes")
            let kept = removal.kept.joined(separator: ", ")
            if !kept.isEmpty, let answer = console.answer(to: "also remove \(kept)? [y/N] ") {
                removal.withConfiguration = ["y", "yes"].contains(answer.lowercased())
            }
        }
        await removal.signOut()
        try removal.stop()
        removal.removeFiles()
        removal.tellLeft(isFirst: true)
        if removal.isIncomplete { throw Outcome.failed }
    }
}

/// The removal of one person's userd.
private struct Removal {
    private let console: Console
    private let paths: PathOptions
    private let units: ServiceUnits
    /// Nil if no service manager answers.
    private let status: ServiceStatus?
    private var folders: [OwnFolder]
    var withConfiguration: Bool
    /// Says what is left besides files, and who can remove it.
    private var left: [String] = []
    /// Whether something stays that should have been removed.
    private(set) var isIncomplete = false

    init(_ console: Console, _ paths: PathOptions, withConfiguration: Bool) {
        (self.console, self.paths, self.withConfiguration) = (console, paths, withConfiguration)
        units = ServiceUnits(probes: .live(console.environment), now: console.clock.now, say: console.say)
        status = try? units.status()
        folders = OwnFolder.all(
            console.baseDirectories, database: paths.paths.places(console).database)
    }

    /// The files now, by what happens to them.
    private var files: (removed: [String], kept: [String], foreign: [String]) {
        let files = OwnFolder.files(in: folders)
        let (data, configuration) = (files[.data] ?? [], files[.configuration] ?? [])
        return (
            withConfiguration ? data + configuration : data, withConfiguration ? [] : configuration,
            files[.foreign] ?? []
        )
    }

    var kept: [String] { files.kept }
    private var inUse: [String] { status?.inUse.map(\.name) ?? [] }
    private var tokens: String? { files.removed.first { $0.hasSuffix("/users.json") } }
    var isNothing: Bool { inUse.isEmpty && files.removed.isEmpty }

    /// A userd that systemd does not stop would go on writing.
    func refuseStartedByHand() throws {
        guard status?.isActive != true else { return }
        for path in try files.removed.filter({ try $0.hasSuffix(".lock") && FileLock.take($0) == nil }) {
            let holder = FileLock.holder(of: path).map { " (process \($0))" } ?? ""
            throw CommandError(
                "a userd that systemd did not start is running\(holder)", .failed,
                advice: "`userctl sign-out` if you have signed in, then end it, and repeat this")
        }
    }

    func show() {
        if !inUse.isEmpty { console.say("to be stopped and disabled: \(inUse.joined(separator: ", "))") }
        if tokens != nil { console.say("to be revoked at the provider: your sign-in") }
        for path in files.removed { console.say("to be removed: \(path)") }
    }

    // MARK: Steps

    /// The tokens stay if they may be revoked later.
    mutating func signOut() async {
        guard let file = tokens else { return }
        let saved = console.file(file).flatMap { try? JSONValue(validating: $0, maximumDepth: 8) }
        let place = saved?["binding"]?["issuer"]?.string.map { " at \($0)" } ?? ""
        let complaint: String?
        do {
            let userd = try paths.connection(console).userd()
            complaint = try await signingIn { try userd.signOut(SignOut(keep: true)) }.decoded().complaint
        } catch {
            complaint = CommandError(error)?.message ?? "\(error)"
        }
        guard let complaint else { return console.say("signed out\(place)") }
        console.say("the sign-in\(place) could not be revoked: \(complaint)")
        left.append("the sign-in, which may be valid\(place): take back userd's access in your account there")
        guard console.file(file) != nil else { return }
        isIncomplete = true
        left.append(
            """
            the sign-in's file: `userctl service enable`, then repeat this, to revoke it; or, once you have taken back the \
            access, `rm \(shellQuoted(file))`
            """)
        folders.removeAll { $0.path == parent(of: file) }
        // Revoking needs it.
        withConfiguration = false
    }

    mutating func stop() throws {
        guard let status else { return console.say("no service manager answers, so no units were stopped") }
        let still = try units.stopAndDisable()
        if !still.isEmpty {
            isIncomplete = true
            left.append(
                """
                enabled for all users of this machine, so userd starts again at the next login: \
                \(still.joined(separator: ", ")); \(ServiceUnits.masking(still)), the administrator for all
                """)
        }
        for timer in inUse where timer.hasSuffix(".timer") {
            left.append("the list that \(timer) has published, and copies of it")
        }
        if status.linger { left.append("lingering: `loginctl disable-linger` turns it off") }
    }

    mutating func removeFiles() {
        // userd has changed its files since the question.
        let removed = files.removed
        if removed.contains(where: { $0.hasSuffix("/\(BaseDirectories.addressBookPassword)") }) {
            left.append("the cards in your mail client: remove the address book there")
        }
        OwnFolder.remove(removed, from: folders)
        if status != nil { try? units.reload() }
        let rest = files.removed
        let gone = removed.filter { !rest.contains($0) }
        if !gone.isEmpty { console.say("removed: \(gone.joined(separator: ", "))") }
        left += rest.map { "\($0), which could not be removed" }
        isIncomplete = isIncomplete || !rest.isEmpty
    }

    // MARK: After

    /// - Parameter isFirst: whether something was removed now.
    func tellLeft(isFirst: Bool) {
        var lines = left
        let files = files
        if !files.foreign.isEmpty {
            lines.append(
                "not known to be userd's, links, or not readable: \(files.foreign.joined(separator: ", "))")
        }
        if !files.kept.isEmpty {
            lines.append(
                """
                the configuration, \(files.kept.joined(separator: ", ")): `userctl service remove --configuration` removes it
                """)
        }
        for file in console.baseDirectories.systemConfigFiles where console.file(file) != nil {
            lines.append("the administrator's \(file)")
        }
        if isFirst {
            lines += [
                "recordings, reports of `userctl report` and saved cards, where you wrote them",
                "lines in the journal: `sudo journalctl --rotate`, then `sudo journalctl --vacuum-time=1s` remove those of all programs",
                "the programs: `make uninstall`, or `sudo apt purge userd`",
            ]
        }
        for line in lines { console.say("left: \(line)") }
    }
}
