import ArgumentParser
import CLinux
import Cache
import FoundationEssentials
import Glibc
import HTTP
import LDAP
import Logging
import Model
import Platform
import Upstream
import UserdAPI
import VarlinkServer

struct Userd: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "userd",
        abstract:
            "Keep a local copy of an organisation's users and facts, and serve it to the programs of this user.",
        discussion: """
            Settings come from the command line, else from the environment, else from the recording that is \
            replayed, else from the configuration file, else they are the defaults. On SIGHUP, userd reads \
            the file again; if it has a mistake, userd logs it and keeps its settings. SIGTERM ends userd, \
            and so does closing its terminal, unless nohup started it.

            A setting is written `users: { interval: 5min }` in the file, which is YAML, \
            `USERD_USERS_INTERVAL=5min` in the environment, and `--users-interval 5min` on the command line.

            Examples:
              userd
              userd --print-config
              userd --default-config >~/.config/userd/config.yaml
              userd --users-url https://users.example/api/ --users-interval 5min
              userd --check-config
              userd --check-config ./config.yaml
              userd --check-upstream
              userd --discover example.org
              userd --print-format okta

            Environment:
              USERD_…          a setting, such as USERD_USERS_INTERVAL
              XDG_RUNTIME_DIR  the directory of the socket, unless set otherwise
              XDG_CACHE_HOME   the directory of the cache, unless set otherwise (~/.cache)
              CACHE_DIRECTORY  replaces that directory under systemd
              XDG_CONFIG_HOME  the directory of the configuration file (~/.config)
              LISTEN_FDS       with LISTEN_PID, the sockets that systemd passes on
              NOTIFY_SOCKET    the socket on which userd reports its status to systemd
              WATCHDOG_USEC    with WATCHDOG_PID, how often systemd expects a sign of life
              HTTPS_PROXY, HTTP_PROXY, ALL_PROXY, NO_PROXY  unless http.proxy and http.no_proxy are set
              CREDENTIALS_DIRECTORY  the directory of users-token, users-client-secret and users-password, if a
                               drop-in lets systemd pass them
              SYSTEMD_EXEC_PID  the process that such directories are for; others do not take them, and fetch the
                               demo's users where no directory is named

            Files:
              $XDG_RUNTIME_DIR/userd/userd.sock   the socket
              $XDG_CACHE_HOME/userd/userd.db      the cache
              $XDG_CACHE_HOME/userd/secrets.json  how the last login with each password ended, and what files of
                               secrets are for; nothing of the secrets
              $XDG_CACHE_HOME/userd/attention     there while your sign-in has ended, or a secret of yours is refused
              $XDG_CACHE_HOME/userd/userd.db.damaged-TIME  a damaged cache, set aside; may be removed
              $XDG_CACHE_HOME/userd/replay.db     the cache of a replay, deleted at each start
              $XDG_CACHE_HOME/userd/mock.db       the cache of a mock, deleted at each start
              $XDG_CONFIG_HOME/userd/config.yaml  the settings
              /etc/xdg/userd/config.yaml          the machine's settings, which those above override
              $XDG_CONFIG_HOME/userd/users-token, users-client-secret, users-password  users.token_file,
                               users.oauth.client_secret_file, and users.password_file or
                               users.basic.password_file, unless set otherwise
              $XDG_CONFIG_HOME/userd/carddav-password  the password of the address book

            Exit status:
              0   ended by a signal, or printed what was asked for
              1   can't start: another userd runs, or the cache is unusable; --check-upstream: one failed
              64  a setting or an option is invalid
              74  the output or the recording can't be written
              75  the cache file was removed or replaced; after a restart, userd syncs again
            """,
        version: version)

    @OptionGroup(title: "Settings") var options: SettingsOptions

    @Flag(help: "Print the effective settings and their origins, and end.")
    var printConfig = false

    @Flag(help: "Print a configuration file that explains every setting and changes none, and end.")
    var defaultConfig = false

    @Option(
        name: .customLong("check-config"), defaultAsFlag: "", parsing: .next,
        help: ArgumentHelp(
            """
            Check the settings, print each mistake, and end, with 64 if there is one. A path replaces the \
            usual configuration file.
            """, valueName: "path"))
    var checkConfig: String?

    @Flag(
        help: ArgumentHelp(
            "With --check-config PATH, also read the machine's files, as beside config.yaml.",
            visibility: .private))
    var withMachineConfig = false

    @Flag(
        help: """
            Try each upstream with these settings (name lookup, connection, TLS, one request), print the \
            result of each step, and end. For users, also show the first three as they would be cached, how \
            often each field is found, and where the list ends. Print JSON, unless on a terminal.
            """)
    var checkUpstream = false

    @Option(
        help: ArgumentHelp(
            """
            Find out which directory an organisation has, by its domain or an address: print what it rests on and \
            the settings, and end. Sends nothing secret, and changes nothing.
            """, valueName: "name"))
    var discover: String?

    @Flag(help: "With --discover, ask Microsoft for the domain even if its DNS does not lead there.")
    var askMicrosoft = false

    @Option(
        help: ArgumentHelp(
            "Print whose certificate a server has, and end.", valueName: "address",
            visibility: .private))
    var certificate: String?

    @Option(
        help: ArgumentHelp(
            "With --check-upstream, try the secret on standard input in place of this setting's file.",
            valueName: "setting", visibility: .private))
    var secretOnStdin: Secret.Use?

    @Option(
        help: ArgumentHelp(
            "Print a built-in format as YAML, to copy into users.records, fields, skip and paging, and end.",
            valueName: "name"))
    var printFormat: String?

    func validate() throws {
        guard let secretOnStdin, !checkUpstream || secretOnStdin.file == nil else { return }
        throw ValidationError("--secret-on-stdin takes the setting of a file, with --check-upstream.")
    }

    static func main() {
        start { code in
            // After other failures, systemd restarts userd, which then answers the waiting clients.
            if code == 1 || code == 64 { Activation.turnAway(environment()) }
        }
    }

    func run() async throws {
        umask(0o077)
        // Pages are parsed on one thread and staged on another. With an arena for each thread instead of one
        // for all, glibc keeps 1.5 times as much memory.
        mallopt(M_ARENA_MAX, 1)
        // SIGUSR1 is ignored until it is handled, and so is SIGHUP (StartTerminal).
        for ignored in [SIGPIPE, SIGXFSZ, SIGUSR1] { signal(ignored, SIG_IGN) }
        let terminal = StartTerminal()
        useOwnLDAPConfiguration()
        if let printFormat { return try output(format: printFormat) }
        if defaultConfig { return try output(defaultConfiguration()) }
        let environment = environment()
        var loader = SettingsLoader(
            commandLine: options.commandLine,
            configFile: checkConfig.flatMap { $0.isEmpty ? nil : $0 } ?? options.config,
            readsMachineFiles: withMachineConfig, environment: environment,
            homeDirectory: environment["HOME"] ?? "",
            complete: SettingsLoader.completing)
        if checkConfig != nil { return try report(&loader) }
        do {
            if let secretOnStdin { try loader.takeStandardInput(as: secretOnStdin) }
            var loaded = try loader.load()
            let recording = try loader.read(loaded.settings.replay)
            if recording != nil { loaded = try loader.load() }
            if let reason = loaded.settings.replayRefusal { throw failure(reason, code: 64) }
            try requireDescriptors()
            if let discover { return try await output(discovered(discover, loaded.settings)) }
            if let certificate {
                return try await output(servedCertificate(at: certificate, loaded.settings) + "\n")
            }
            if printConfig { return try output(loaded.printed(redacted(setting:))) }
            if checkUpstream {
                try refuseToCheck(loaded.settings)
                let checks = try await UpstreamCheckup.run(
                    loaded.settings, logger: Daemon.makeLogger(SharedLogLevel(loaded.settings.logLevel)))
                try output(
                    isatty(STDOUT_FILENO) == 1
                        ? checks.text : String(decoding: try encoded(checks), as: UTF8.self) + "\n")
                if checks.haveFailed { throw ExitCode(1) }
                return
            }
            try await Daemon.start(
                Daemon.Start(
                    loaded: loaded, recording: recording, loader: loader, environment: environment,
                    terminal: terminal))
        } catch  where error is SettingsError || error is HARError {
            // `systemctl status` shows the reason.
            let manager = try? ServiceManager.taken(from: environment)
            manager?.notify(.status("failed: \(error)"))
            await manager?.flush()
            throw failure("\(error)", code: 64)
        } catch  where error is CacheError || error is ListenError {
            throw failure("\(error)", code: 1)
        } catch let error as ExitError {
            throw failure("\(error)", code: error.code)
        }
    }

    private func refuseToCheck(_ settings: Settings) throws {
        if settings.hasStandIn {
            let setting = settings.replay == nil ? "mock" : "replay"
            throw failure("userd asks no upstream: the setting \(setting) replaces them", code: 64)
        }
        // It would spend the refresh token of whoever is signed in.
        if secretOnStdin != nil, settings.users.oauth.signsIn {
            throw failure("--secret-on-stdin: only a person can try a sign-in", code: 64)
        }
    }

    private func output(format name: String) throws {
        guard let text = DirectoryFormat.text(of: name) else {
            let names = DirectoryFormat.names.joined(separator: ", ")
            throw failure(
                "there is no format \"\(name.shown(upTo: 40))\"; the formats are \(names)", code: 64)
        }
        try output(text)
    }

    private func discovered(_ text: String, _ settings: Settings) async throws -> String {
        let shown = text.shown(upTo: 100)
        let found: Discovered
        do {
            if LDAPAddress.isOne(text), text.contains("?") {
                throw FormatMistake("has a filter: write it into users.url yourself")
            }
            found =
                LDAPAddress.isOne(text)
                ? try await Discovery.run(LDAPAddress(text), settings)
                : try await Discovery.run(OrganisationName(text), asksMicrosoft: askMicrosoft, settings)
        } catch let error as FormatMistake {
            throw failure("\"\(shown)\" \(error.reason)", code: 64)
        }
        return String(decoding: try encoded(found), as: UTF8.self) + "\n"
    }

    /// Prints all mistakes. Throws if there is one.
    private func report(_ loader: inout SettingsLoader) throws {
        var check = loader.check()
        var unreadable: HARError?
        do throws(HARError) {
            if try loader.read(check.replay) != nil { check = loader.check() }
        } catch {
            unreadable = error
        }
        let settings = check.mistakes.isEmpty ? (try? loader.load())?.settings : nil
        let refusal = settings?.replayRefusal
        for warning in check.warnings { say("warning: \(warning)", .warning) }
        // It was accepted once, and all else works.
        if let mistake = BookQuery(search: settings?.carddav.search).mistake {
            say("warning: carddav.search \(mistake): there is no address book", .warning)
        }
        for mistake in check.mistakes { say("\(mistake)") }
        if let unreadable { say("\(unreadable)") }
        if let refusal { say(refusal) }
        guard check.mistakes.isEmpty, unreadable == nil, refusal == nil else { throw ExitCode(64) }
        let files = check.files.map { "\($0.path) (\($0.count) setting\($0.count == 1 ? "" : "s"))" }
        try output("configuration is valid: \(files.isEmpty ? "no file" : files.joined(separator: ", "))\n")
    }

    private func output(_ text: String) throws {
        do {
            try writeFully(Array(text.utf8), to: STDOUT_FILENO)
        } catch {
            throw failure("the output can't be written", code: 74)
        }
    }

    private func failure(_ message: String, code: Int32) -> ExitCode {
        say(message)
        return ExitCode(code)
    }
}

/// Starts the program.
package func runUserd() { Userd.main() }

/// The reason why userd can't start or ended by itself, for people.
struct ExitError: Error, CustomStringConvertible {
    let description: String
    /// The exit status.
    var code: Int32 = 1
}

private func environment() -> [String: String] {
    let environment = ProcessInfo.processInfo.environment
    // Another service's folders, if that has started userd.
    return isService(environment)
        ? environment : environment.filter { !BaseDirectories.ofService.contains($0.key) }
}

/// True if a service manager has started this process.
func isService(_ environment: [String: String]) -> Bool { environment["SYSTEMD_EXEC_PID"] == "\(getpid())" }
