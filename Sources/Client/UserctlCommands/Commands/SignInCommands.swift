import ArgumentParser
import Model
import TerminalViews
import UserdAPI
import Varlink

/// How to sign in: as the settings say, by the browser of this machine, unless one of these is given.
struct SignInOptions: ParsableArguments {
    @Flag(help: "Sign in with a code, in a browser on any machine.")
    var device = false

    @Flag(help: "Sign in with a browser on any machine, and paste the address at which it ends.")
    var paste = false

    mutating func validate() throws {
        if device && paste { throw ValidationError("--device and --paste exclude each other.") }
    }

    var grant: SignInGrant? { device ? .device : paste ? .paste : nil }
    /// The options, as they were given.
    var arguments: [String] { (device ? ["--device"] : []) + (paste ? ["--paste"] : []) }
}

struct SignInCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sign-in", abstract: "Sign in to your organisation's directory, as yourself.",
        discussion: """
            For directories whose settings have users.oauth.issuer. Prints an address and opens it in your browser; once \
            you have signed in there, userd fetches the users that you may see. userd keeps the sign-in across restarts, in \
            a file that only your programs can read, until you sign out or the provider ends it.

            Without a browser on this machine, --device prints a code to enter in a browser anywhere, if your provider \
            lets you. --paste works with all providers: open the address anywhere, and paste the address at which the \
            browser ends, although it shows an error there.

            Examples:
              userctl sign-in
              userctl sign-in --device
              userctl sign-in --paste
            """)

    @OptionGroup var signIn: SignInOptions
    @OptionGroup var format: FormatOption<DocumentFormat>
    @OptionGroup var quiet: QuietOption
    @OptionGroup var paths: PathOptions

    func run() async throws {
        let console = quiet.console
        let userd = try paths.connection(console).userd()
        var end: RawReply<SignInReply>?
        try await signingIn {
            try userd.signIn(UserdAPI.SignIn(grant: signIn.grant)).forEach { reply in
                let answer = try reply.decoded()
                if answer.account != nil { end = reply }
                if let address = answer.address {
                    console.prompt(address, code: answer.code, life: answer.life)
                    if signIn.paste {
                        try pasted(to: userd, console)
                    } else if answer.code == nil {
                        if !console.hasScreen {
                            console.say("no browser here? `userctl sign-in --paste` works with one anywhere")
                        }
                        Desktop.browse(address, console.environment)
                    }
                }
                return .proceed
            }
        }
        guard let end, let account = try end.decoded().account else { return }
        if format.output == .json { try console.write(document: end.bytes) }
        console.notice("signed in at \(account.provider)\(account.name.map { " as \($0)" } ?? "")")
    }

    /// Reads addresses until one belongs to this sign-in.
    private func pasted(to userd: UserdClient, _ console: Console) throws {
        console.say("paste the address at which the browser ended, and press Enter:")
        while let line = console.typedLine("", isShown: true) {
            if line.allSatisfy(\.isWhitespace) { continue }
            do {
                _ = try userd.finishSignIn(FinishSignIn(redirect: line))
                return
            } catch UserdError.upstreamFailed(let failure) {
                console.say(failure.message)
            }
        }
        throw CommandError(
            "no address was pasted", .failed, advice: "`userctl sign-in --paste` begins again")
    }
}

struct SignOutCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sign-out", abstract: "Forget your sign-in, here and at the provider.",
        discussion: """
            The users that are cached stay. Nothing more is fetched until somebody signs in.

            Examples:
              userctl sign-out
            """)

    @OptionGroup var format: FormatOption<DocumentFormat>
    @OptionGroup var quiet: QuietOption
    @OptionGroup var paths: PathOptions

    func run() async throws {
        let console = quiet.console
        let userd = try paths.connection(console).userd()
        let reply = try await signingIn { try userd.signOut(.init()) }
        if format.output == .json { try console.write(document: reply.bytes) }
        let answer = try reply.decoded()
        console.notice(answer.wasSignedIn ? "signed out" : "nobody was signed in")
        if let complaint = answer.complaint {
            console.say("the sign-in is forgotten here, but may be valid at the provider: \(complaint)")
        }
    }
}

/// Makes a call of signing in: the message of its failure says what to do.
func signingIn<Output>(_ call: () throws -> Output) async throws -> Output {
    do {
        return try await requested { try call() }
    } catch UserdError.upstreamFailed(let failure) {
        throw CommandError(failure.message, .failed)
    }
}

extension Console {
    /// Whether this machine has a screen before which the person sits, as far as the environment tells.
    fileprivate var hasScreen: Bool {
        environment.value("SSH_CONNECTION") == nil
            && (environment.value("DISPLAY") ?? environment.value("WAYLAND_DISPLAY")) != nil
    }

    fileprivate func prompt(_ address: String, code: String?, life: Double?) {
        say("open this address in your browser, and sign in there:")
        try? errors.write("\n  \(address.sanitised)\n\n")
        if let code { say("the code is \(code)") }
        if let life { say("waiting \(TerminalViews.inWords(.seconds(life))); Ctrl-C ends it") }
    }
}
