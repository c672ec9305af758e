import ArgumentParser
import Glibc
import Model
import Platform
import UserdAPI

/// The commands that a desktop and the service manager run, not people: help, completion and manual leave them out.
struct DesktopCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "desktop", abstract: "Serve the desktop: its search, and one notification.",
        shouldDisplay: false,
        subcommands: [
            DesktopSearchCommand.self, DesktopNotifyCommand.self, DesktopWindowCommand.self,
            DesktopEntryCommand.self,
        ])
}

struct DesktopSearchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "search", abstract: "Answer the searches of GNOME and KDE until they pause.",
        shouldDisplay: false)

    func run() async throws {
        let console = Console.current
        let people = DesktopPeople(console)
        let needs = DesktopSearch.Needs(
            find: { await people.named($0) }, person: { await people.person($0) },
            act: { $0.carryOut(console.environment) })
        let bus = try console.sessionBus()
        do {
            try await DesktopSearch(needs, .words(console.environment)).serve(bus)
        } catch let error as BusError {
            // At a logout, the bus ends first.
            guard ![ECONNRESET, ENOTCONN, EPIPE].contains(-error.code) else { return }
            throw CommandError(bus: error)
        }
    }
}

struct DesktopNotifyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "notify", abstract: "Show what userd needs of you, once.", shouldDisplay: false)

    private static let longest = Duration.seconds(3600)

    func run() async throws {
        let console = Console.current
        // systemd stops it when userd is turned off. The signal also ends the wait for a message.
        signal(SIGTERM) { _ in isStopped = true }
        defer { signal(SIGTERM, SIG_DFL) }
        guard !console.isTurnedOff("notifications"), console.attention != nil,
            // A machine may have no session, or nothing that shows notifications: then the next login tries again.
            let bus = try? console.sessionBus(), let display = try? NotificationDisplay(bus)
        else { return }
        let deadline = ContinuousClock.now + Self.longest
        var last: Attention?
        // Another failure may come meanwhile.
        while let notice = console.attention, notice != last, !console.wasShown(notice), !isStopped,
            ContinuousClock.now < deadline
        {
            guard (try? display.show(notice.kind, .words(console.environment))) != nil else { return }
            // Where the state folder can't be written, the next login shows it again.
            try? console.remember(notice)
            last = notice
            let end = try? display.untilEnd(within: deadline - ContinuousClock.now) {
                !isStopped && console.attention == notice
            }
            if end == .chosen, notice.kind == .signIn { DesktopDeed.signIn.carryOut(console.environment) }
        }
    }
}

// Global, because a signal handler can't capture. The handler alone writes it, once; who reads it is on one thread.
nonisolated(unsafe) private var isStopped = false

struct DesktopWindowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "window", abstract: "Run a command in a window that would close with it.",
        shouldDisplay: false)

    @Argument(parsing: .captureForPassthrough, help: "The command, without userctl.")
    var words: [String]

    func run() async throws {
        let code = await Userctl.execute(words)
        let console = Console.current
        // A person who opens the entry on a new machine has not read how one begins.
        if code == Outcome.unavailable.rawValue, console.directoryFile == nil {
            console.say(Failure.notConnected.message)
        }
        if code != 0 || words.first != "browse" {
            console.say("press Enter to close this window")
            _ = readLine()
        }
        if let outcome = Outcome(rawValue: code) { throw outcome }
    }
}

struct DesktopEntryCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "entry", abstract: "Print a file by which desktops find userctl.", shouldDisplay: false)

    @Argument(help: "The file.")
    var entry: DesktopEntry

    func run() async throws { try Console.current.output.write(entry.text) }
}

extension DesktopEntry: ExpressibleByArgument {}

extension CommandError {
    fileprivate init(bus error: BusError) {
        let failure = "can't answer on the session's D-Bus: "
        switch -error.code {
        case ENOSYS:
            self.init(
                failure + "libsystemd.so.0 is missing, or too old", .unavailable,
                advice: "install systemd's library; Debian's package is libsystemd0")
        case EEXIST:
            self.init(
                failure + "another program has the name \(DesktopSearch.name)", .unavailable,
                advice: "is `userctl desktop search` running already? The desktop starts it")
        default:
            self.init(
                failure + (error.name ?? String(cString: strerror(-error.code))), .unavailable,
                advice: "run it in a desktop's session")
        }
    }
}

extension Console {
    /// Throws a `CommandError`.
    fileprivate func sessionBus() throws -> SessionBus {
        guard let address = SessionBus.address(environment) else {
            throw CommandError(
                "the session's D-Bus is unknown: neither DBUS_SESSION_BUS_ADDRESS nor XDG_RUNTIME_DIR is set",
                .unavailable, advice: "run it in a desktop's session")
        }
        do {
            return try SessionBus(address: address)
        } catch let error as BusError {
            throw CommandError(bus: error)
        }
    }

    /// The mark beside the usual cache; nil if there is none.
    fileprivate var attention: Attention? {
        usualPaths.database.flatMap { file(parent(of: $0) + "/" + Attention.fileName) }.flatMap {
            Attention($0)
        }
    }

    /// Whether it was shown before, also before a restart of the machine.
    fileprivate func wasShown(_ notice: Attention) -> Bool {
        baseDirectories.notified.flatMap(file).map { $0 == Array(notice.id.utf8) } ?? false
    }

    fileprivate func remember(_ notice: Attention) throws {
        guard let path = baseDirectories.notified else { return }
        try makePrivateFolder(parent(of: path))
        try writeAtomically(Array(notice.id.utf8), to: path, isPrivate: true)
    }
}
