import ArgumentParser
import Model

package struct Userctl: AsyncParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "userctl",
        abstract: "Look at the users and facts that userd keeps on this machine.",
        discussion: """
            userd answers reads; if it is not running, userctl reads the cache file. Data goes to stdout, messages to stderr.

            Examples:
              userctl list --nationality us --order age
              userctl search anna ber
              userctl show anna@example.com
              userctl open anna@example.com
              userctl list -o ndjson | jq --raw-output .email
              userctl browse
              userctl status
              userctl sync --wait

            Environment:
              USERD_SOCKET     userd's socket, unless --socket is given
              USERD_DATABASE   userd's cache file, unless --database is given
              XDG_CONFIG_HOME  the folder of userd's configuration (default: ~/.config)
              XDG_RUNTIME_DIR  the folder of the default socket
              XDG_CACHE_HOME   the folder of the default cache file (default: ~/.cache)
              NO_COLOR         turns colours off, if not empty
              TERM             dumb turns colours off
              COLUMNS          the terminal's width, if the terminal does not report it

            Files:
              $XDG_CONFIG_HOME/userd/config.yaml  userd's configuration; userctl uses its paths, columns, me, actions, hyperlinks
              /etc/xdg/userd/config.yaml          the machine's configuration, for what the above does not set
              $XDG_RUNTIME_DIR/userd/userd.sock   the socket, if nothing names another
              $XDG_CACHE_HOME/userd/userd.db      the cache file, if nothing names another

            Exit status:
            \(Outcome.table)
            """,
        version: version,
        groupedSubcommands: [
            CommandGroup(
                name: "Reading",
                subcommands: [
                    ListCommand.self, SearchCommand.self, ShowCommand.self, TeamCommand.self, OrgCommand.self,
                    PictureCommand.self, OpenCommand.self, BrowseCommand.self, PickCommand.self,
                    FactCommand.self, FactsCommand.self, PublishCommand.self,
                ]),
            CommandGroup(
                name: "Watching",
                subcommands: [StatusCommand.self, WatchCommand.self, WaitCommand.self, HistoryCommand.self]),
            CommandGroup(
                name: "Syncing",
                subcommands: [
                    SyncCommand.self, RetryCommand.self, CancelCommand.self, PauseCommand.self,
                    ResumeCommand.self,
                ]),
            CommandGroup(
                name: "Connecting",
                subcommands: [
                    ConnectCommand.self, SignInCommand.self, SignOutCommand.self, CardDAVCommand.self,
                ]),
            CommandGroup(
                name: "Other",
                subcommands: [
                    DoctorCommand.self, ServiceCommand.self, ReportCommand.self, PreviewCommand.self,
                    CompletionCommand.self, DesktopCommand.self,
                ]),
        ])

    package init() {}

    /// The result of `execute` if userctl has to end by SIGINT, as an uncaught Ctrl-C would end it.
    package static let interruptedCode = Outcome.interrupted.rawValue

    /// Runs a command line, without the program's name. Errors are printed on stderr.
    /// - Returns: the exit code.
    package static func execute(_ arguments: [String]) async -> Int32 {
        do {
            try checkCommandName(arguments)
            var command = try parseAsRoot(arguments)
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
            return 0
        } catch {
            let code = report(error, arguments)
            if code == Outcome.usage.rawValue, let found = await search(insteadOf: arguments, .current) {
                Console.current.say(found)
            }
            return code
        }
    }

    private static func report(_ error: any Error, _ arguments: [String]) -> Int32 {
        let console = Console.current
        if let status = error as? Outcome { return status.rawValue }
        if let error = CommandError(error) {
            for line in error.lines { console.say(line) }
            return error.status.rawValue
        }
        // The argument parser throws its errors, and also the help and the version.
        switch exitCode(for: error) {
        case .success:
            do {
                // On a terminal, each line is broken here; the argument parser would not indent the rest of all lines.
                let columns = console.output.width == nil ? nil : Int(UInt16.max)
                let page = helpPage(fullMessage(for: error, columns: columns), on: console.output)
                try console.output.write(page + "\n")
                return 0
            } catch {
                return report(error, arguments)
            }
        case .validationFailure:
            return report(usageError(message(for: error), arguments), arguments)
        default:
            let mistake = CommandError(
                "internal error in userctl: \(error)", .mistake,
                advice: "please report it, with the command line")
            return report(mistake, arguments)
        }
    }
}
