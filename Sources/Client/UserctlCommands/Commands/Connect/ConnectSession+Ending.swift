import ArgumentParser
import Glibc
import Model
import Platform
import UserdAPI

/// The steps after config.yaml is written.
extension ConnectSession {
    /// Lets userd read its settings again, and waits until they are in force.
    func takeUp() async throws {
        func inForce() -> SettingsReply? {
            try? paths.connection(console).userd().getSettings().decoded()
        }
        let former = inForce()?.readAt
        if let daemon = DaemonProcess.serving(socket, probes) {
            daemon.reload()
        } else {
            try ServiceUnits(probes: probes, now: console.clock.now, say: console.say).enable(
                linger: false, isAnswered: false)
        }
        for _ in 0..<100 {
            // A userd of 0.3.0 does not say when it read them.
            if let now = inForce(), now.readAt == nil || now.readAt != former { return }
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

    /// Joins the sync that userd has begun by itself, or begins one. userd sends a secret that was refused no second time.
    func sync(_ plan: ConnectPlan) async throws {
        try await paths.perform(SyncCommand.self, ["users", "--wait"] + plan.consent)
        try await paths.perform(ListCommand.self, ["--limit", "3"])
        console.say(
            plan.isDemo
                ? "made-up users and cat facts: `userctl browse` shows them, `userctl connect example.org` replaces them"
                : "connected: `userctl search NAME` finds people, `userctl browse` shows them")
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
    fileprivate func perform<Command: AsyncParsableCommand>(
        _ type: Command.Type, _ arguments: [String]
    ) async throws {
        let places = [("--socket", socket), ("--database", database)]
        let options = places.flatMap { option, path in path.map { [option, $0] } ?? [] }
        guard var command = try Userctl.parseAsRoot([type._commandName] + options + arguments) as? Command
        else { return }
        try await command.run()
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
