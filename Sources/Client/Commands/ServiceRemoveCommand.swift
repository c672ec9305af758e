import ArgumentParser
import CommandSupport
import Diagnostics
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
        var removal = Removal(console, paths.paths, withConfiguration: configuration)
        removal.look()
        try removal.refuseStartedByHand()
        guard !removal.isNothing else {
            console.say("nothing of userd is left to remove")
            return removal.tellLeft(isFirst: false)
        }
        removal.show()
        if !yes {
            try console.requireAgreement("remove this?", command: "userctl service remove --yes")
            let kept = removal.paths(\.kept).joined(separator: ", ")
            if !kept.isEmpty, let answer = console.answer(to: "also remove \(kept)? [y/N] ") {
                removal.withConfiguration = ["y", "yes"].contains(answer.lowercased())
            }
        }
        await removal.signOut()
        try removal.stop()
        try removal.removeFiles()
        removal.tellLeft(isFirst: true)
        if removal.isIncomplete { throw Outcome.failed }
    }
}

/// The removal of one person's userd.
private struct Removal {
    private let console: Console
    private let units: ServiceUnits
    /// Nil if no service manager answers.
    private let status: ServiceStatus?
    private let socket: String?
    private var folders: [OwnFolder]
    var withConfiguration: Bool
    /// The content of the folders, as last looked at.
    private var plans: [(folder: OwnFolder, plan: OwnFolder.Plan)] = []
    private var unread: [String] = []
    /// Everything else that is left, and who can remove it.
    private var left: [String] = []
    /// Whether something stays that should have been removed.
    private(set) var isIncomplete = false

    init(_ console: Console, _ paths: Paths, withConfiguration: Bool) {
        self.console = console
        self.withConfiguration = withConfiguration
        units = ServiceUnits(.live(console.environment), now: console.clock.now, say: console.say)
        status = try? units.status()
        let places = paths.places(console)
        socket = places.socket
        folders = OwnFolder.all(console.baseDirectories, database: places.database)
    }

    // MARK: Before

    mutating func look() {
        (plans, unread) = ([], [])
        for folder in folders {
            do throws(FileWriteError) {
                guard let entries = try folder.entries() else { continue }
                plans.append((folder, folder.plan(entries, withConfiguration: withConfiguration)))
            } catch {
                unread.append("\(folder.path), which is a link or can't be read: \(error.reason)")
            }
        }
    }

    func paths(_ files: KeyPath<OwnFolder.Plan, [String]>) -> [String] {
        plans.flatMap { entry in entry.plan[keyPath: files].map { "\(entry.folder.path)/\($0)" } }
    }

    /// A userd that systemd does not stop would go on writing.
    func refuseStartedByHand() throws {
        guard status?.isActive != true else { return }
        for path in try paths(\.removed).filter({ try $0.hasSuffix(".lock") && FileLock.take($0) == nil }) {
            let holder = FileLock.holder(of: path).map { " (process \($0))" } ?? ""
            throw CommandError(
                "a userd that systemd did not start is running\(holder)", .failed,
                advice: "`userctl sign-out` if you have signed in, then end it, and repeat this")
        }
    }

    private var inUse: [String] { status?.inUse.map(\.name) ?? [] }
    private var tokens: String? { paths(\.removed).first { $0.hasSuffix("/users.json") } }
    var isNothing: Bool { inUse.isEmpty && paths(\.removed).isEmpty }

    func show() {
        if !inUse.isEmpty { console.say("to be stopped and disabled: \(inUse.joined(separator: ", "))") }
        if tokens != nil { console.say("to be revoked at the provider: your sign-in") }
        for path in paths(\.removed) { console.say("to be removed: \(path)") }
    }

    // MARK: Steps

    /// The tokens stay if they may be revoked later.
    mutating func signOut() async {
        guard let file = tokens else { return }
        let saved = console.file(file).flatMap { try? JSONValue(validating: $0, maximumDepth: 8) }
        let place = saved?["binding"]?["issuer"]?.string.map { " at \($0)" } ?? ""
        var complaint: String? = "userd does not run"
        if let userd = socket.map(console.userd) {
            do {
                complaint = try await signingIn { try userd.signOut(SignOut(keep: true)) }.decoded().complaint
            } catch {
                complaint = CommandError(error)?.message ?? "\(error)"
            }
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

    mutating func removeFiles() throws {
        // userd has changed its files since the question.
        look()
        if paths(\.removed).contains(where: { $0.hasSuffix("/\(BaseDirectories.addressBookPassword)") }) {
            left.append("the cards in your mail client: remove the address book there")
        }
        for (folder, plan) in plans {
            let failed = try folder.remove(plan.removed)
            let gone = plan.removed.filter { !failed.contains($0) }
            if !gone.isEmpty { console.say("removed from \(folder.path): \(gone.joined(separator: ", "))") }
        }
        if status != nil { try? units.reload() }
        look()
        isIncomplete = isIncomplete || !paths(\.removed).isEmpty
    }

    // MARK: After

    /// - Parameter isFirst: whether something was removed now.
    func tellLeft(isFirst: Bool) {
        var lines = left + unread + paths(\.removed).map { "\($0), which could not be removed" }
        for (folder, plan) in plans where !plan.foreign.isEmpty {
            lines.append(
                "in \(folder.path), not known to be userd's: \(plan.foreign.joined(separator: ", "))")
        }
        let kept = paths(\.kept).joined(separator: ", ")
        if !kept.isEmpty {
            lines.append(
                "the configuration, \(kept): `userctl service remove --configuration` removes it")
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
