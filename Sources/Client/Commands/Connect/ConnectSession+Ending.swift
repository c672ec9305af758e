import ArgumentParser
import CommandSupport
import Diagnostics
import Glibc
import Model
import Platform
import UserdAPI

/// The steps after config.yaml is written.
extension ConnectSession {
    /// Lets userd read its settings again, and waits until they are in force.
    /// - Parameter areNew: tells new settings of a userd that does not say when it read them.
    func takeUp(areNew: ([SettingValue]) -> Bool) async throws {
        func inForce() -> SettingsReply? {
            try? paths.connection(console).userd().getSettings().decoded()
        }
        let former = inForce()?.readAt
        if let daemon = DaemonProcess.serving(socket, probes) {
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

    /// Signs a person in, unless they are. If nobody signs in, the files are as before.
    func signIn(takingBack former: FormerFiles) async throws {
        guard try paths.connection(console).userd().getState().decoded().account?.signedIn != true else {
            return
        }
        let (path, say, socket, probes) = (file.path, console.say, socket, probes)
        let takeBack = { @Sendable in
            guard !former.isEmpty else { return }
            former.restore()
            DaemonProcess.serving(socket, probes)?.reload()
            say("nobody signed in: \(path) is as it was")
        }
        do {
            try await undoing(takeBack) { try await paths.perform(SignInCommand.self, way.arguments) }
        } catch {
            takeBack()
            throw error
        }
    }

    private func stateOfUsers() throws -> State? {
        try paths.connection(console).userd().getState().decoded().states.of([.users]).first
    }

    /// Joins the sync that userd has begun by itself, or begins one, unless userd has already synced. Throws, and says why, if
    /// upstream refused the secret: a wrong password is not sent a second time.
    ///
    /// - Parameters:
    ///   - begun: when the settings were changed.
    ///   - acceptingRemovals: whether a person has agreed to lose the users of now.
    func sync(since begun: Timestamp, acceptingRemovals: Bool) async throws {
        let state = try stateOfUsers().flatMap { $0.since >= begun ? $0 : nil }
        if let state, state.failure?.isAboutCredentials == true { try console.fail([state]) }
        if state.map({ [.loaded, .empty].contains($0.phase) }) != true {
            try await paths.perform(
                SyncCommand.self, ["users", "--wait"] + (acceptingRemovals ? ["--accept-removals"] : []))
        }
        try await paths.perform(ListCommand.self, ["--limit", "3"])
        console.say("connected: `userctl search NAME` finds people, `userctl browse` shows them")
    }

    /// Does what is left where an administrator has named the directory.
    func finish(_ machine: ConnectPlan, namedBy path: String) async throws {
        let begun = console.clock.now()
        if socket.flatMap({ try? probes.daemon($0).get() }) == nil {
            try await takeUp { $0.value(of: "users.url") == machine.url }
        }
        let account = try paths.connection(console).userd().getState().decoded().account
        let opensTickets =
            machine.isByTicket && isUnderSystemd
            && console.dropIn("kerberos").map { access($0, F_OK) != 0 } == true
        guard opensTickets || account?.signedIn == false else {
            return console.say(
                "nothing is to be done: \(path) names the directory \(shownAddress(machine.url)); to use another one, write `users:` into "
                    + "\(file.path)")
        }
        console.say("\(path) names the directory \(shownAddress(machine.url))")
        if opensTickets {
            let units = ServiceUnits(probes, now: console.clock.now, say: console.say)
            try console.openForTickets(units, probes, isAgreed: false)
        }
        if account?.signedIn == false { try await signIn(takingBack: FormerFiles()) }
        try await sync(since: begun, acceptingRemovals: false)
    }
}

/// Runs the body. A signal that ends the program meanwhile does so after `undo`.
private func undoing(_ undo: @escaping @Sendable () -> Void, _ body: () async throws -> Void) async rethrows {
    var (ending, before) = (sigset_t(), sigset_t())
    sigemptyset(&ending)
    for signal in [SIGINT, SIGTERM, SIGHUP] { sigaddset(&ending, signal) }
    pthread_sigmask(SIG_BLOCK, &ending, &before)
    defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
    // After the body, the signals end the program at the main thread, and this one waits for nothing.
    let awaited = ending
    var modes = termios()
    let shown = tcgetattr(STDIN_FILENO, &modes) == 0 ? modes : nil
    _ = startThread("undo") {
        var (awaited, number) = (awaited, Int32(0))
        guard sigwait(&awaited, &number) == 0 else { return }
        undo()
        if var shown { tcsetattr(STDIN_FILENO, TCSANOW, &shown) }
        signal(number, SIG_DFL)
        pthread_sigmask(SIG_UNBLOCK, &awaited, nil)
        kill(getpid(), number)
    }
    try await body()
}
