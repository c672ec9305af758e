import ArgumentParser
import Model
import TerminalViews

/// The command, its subcommands, and how it ends.
package struct Userctl: AsyncParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "userctl",
        abstract: "Look at the users and facts that userd keeps on this machine.",
        discussion: """
            Reads are answered by userd, and where it is not running, from its cache file. Data goes to stdout, all else to \
            stderr.

            Examples:
              userctl list --nationality us --order age
              userctl search anna ber
              userctl show anna@example.com
              userctl browse
              userctl status
              userctl sync --wait

            Environment:
              USERD_SOCKET     the socket of userd, unless --socket names one
              USERD_DATABASE   its cache file, unless --database names one
              XDG_RUNTIME_DIR  where the socket is otherwise
              XDG_CACHE_HOME   where the cache file is otherwise (~/.cache)
              NO_COLOR         no colour, if it is not empty
              TERM             no colour, if it is dumb
              COLUMNS          the width of a terminal that does not tell it

            Files:
              $XDG_RUNTIME_DIR/userd/userd.sock  the socket
              $XDG_CACHE_HOME/userd/userd.db     the cache file

            Exit status:
            \(Outcome.table)
            """,
        version: version,
        groupedSubcommands: [
            CommandGroup(
                name: "Reading",
                subcommands: [
                    ListCommand.self,
                    SearchCommand.self,
                    ShowCommand.self,
                    PictureCommand.self,
                    BrowseCommand.self,
                    FactCommand.self,
                    FactsCommand.self,
                ]),
            CommandGroup(
                name: "Watching",
                subcommands: [
                    StatusCommand.self,
                    WatchCommand.self,
                    WaitCommand.self,
                    HistoryCommand.self,
                ]),
            CommandGroup(
                name: "Syncing",
                subcommands: [
                    SyncCommand.self,
                    RetryCommand.self,
                    CancelCommand.self,
                    PauseCommand.self,
                    ResumeCommand.self,
                ]),
            CommandGroup(
                name: "Other",
                subcommands: [
                    DoctorCommand.self,
                    ServiceCommand.self,
                    ReportCommand.self,
                    PreviewCommand.self,
                    CompletionCommand.self,
                ]),
        ])

    package init() {}

    /// Runs a command line, without the program's name. What goes wrong is said on stderr.
    /// - Returns: the exit code.
    package static func execute(_ arguments: [String]) async -> Int32 {
        do {
            if let shortcut = Shortcut(arguments) {
                try await shortcut.run()
                return 0
            }
            try checkCommandName(arguments)
            let command = try parseAsRoot(arguments)
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                var command = command
                try command.run()
            }
            return 0
        } catch {
            return report(error, arguments)
        }
    }

    private static func report(_ error: any Error, _ arguments: [String]) -> Int32 {
        let console = Console.current
        if let status = error as? Outcome { return status.rawValue }
        if let error = CommandError(error) {
            for line in error.lines { console.say(line) }
            return error.status.rawValue
        }
        // What else is foreseen is the argument parser's: help and the version among it, which are what was asked for.
        switch exitCode(for: error) {
        case .success:
            do {
                try console.output.write(Array((helpPage(fullMessage(for: error)) + "\n").utf8))
                return 0
            } catch {
                return report(error, arguments)
            }
        case .validationFailure:
            return report(usageError(message(for: error), arguments), arguments)
        default:
            let mistake = CommandError(
                "a mistake in userctl itself: \(error)", .mistake,
                advice: "please report it, with the command line")
            return report(mistake, arguments)
        }
    }
}
