import ArgumentParser
import Model
import TerminalViews

/// The command, its subcommands, and how it ends.
package struct Userctl: AsyncParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "userctl",
        abstract: "Look at the users and facts that userd keeps on this machine.",
        discussion: """
            Reads are answered by userd, and where it is not running, from its cache file.

            Examples:
              userctl list --nationality us --order age
              userctl search anna ber
              userctl show anna@example.com
              userctl status
              userctl sync --wait
            """,
        version: version,
        subcommands: [
            ListCommand.self, SearchCommand.self, ShowCommand.self, FactCommand.self, FactsCommand.self,
            StatusCommand.self, SyncCommand.self, RetryCommand.self, CancelCommand.self, PauseCommand.self,
            ResumeCommand.self, WaitCommand.self, WatchCommand.self, HistoryCommand.self,
            DoctorCommand.self, CompletionCommand.self,
        ])

    package init() {}

    /// Runs a command line, without the program's name. What goes wrong is said on stderr.
    /// - Returns: the exit code.
    package static func execute(_ arguments: [String]) async -> Int32 {
        do {
            let command = try parseAsRoot(arguments)
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                var command = command
                try command.run()
            }
            return 0
        } catch {
            return report(error)
        }
    }

    private static func report(_ error: any Error) -> Int32 {
        let console = Console.current
        if let status = error as? Outcome { return status.rawValue }
        if let error = CommandError(error) {
            for line in error.lines { console.say(line) }
            return error.status.rawValue
        }
        // All else is the argument parser's: help and the version among it, which are what was asked for.
        let code = exitCode(for: error)
        let text = fullMessage(for: error)
        if code.isSuccess {
            try? console.output.write(Array((text + "\n").utf8))
        } else {
            let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
            console.complain(lines.map { String($0).sanitised }.joined(separator: "\n"))
        }
        return code.rawValue
    }
}

/// How a command ends that does not end well: DESIGN's table of exit codes, with sysexits(3)'s for what it leaves out.
/// Thrown by itself where all has been said.
package enum Outcome: Int32, Error {
    /// Not found, or what was waited for failed.
    case failed = 1
    case usage = 64
    /// No daemon for what needs one, or no cache.
    case unavailable = 69
    case output = 74
    case timedOut = 75
    case interrupted = 130
}
