import ArgumentParser
import Model
import TerminalViews
import UserdAPI

extension Userctl {
    private static var commandNames: [String] { configuration.subcommandNames }

    /// The argument parser reports an unknown command as an unexpected argument, and prints userctl's help for
    /// `help UNKNOWN`. Its --generate-completion-script prints scripts without our patches.
    static func checkCommandName(_ arguments: [String]) throws {
        if arguments.contains(where: { $0.hasPrefix("--generate-completion-script") }) {
            throw CommandError(
                "userctl has no option --generate-completion-script", .usage,
                advice: "use `userctl completion bash`, or zsh, or fish")
        }
        // The completion scripts call userctl with an option of three dashes.
        if let option = arguments.first, option.hasPrefix("-"), !option.hasPrefix("---"),
            !["--help", "-h", "--version"].contains(option),
            let command = arguments.first(where: commandNames.contains)
        {
            throw usageError("the option \(option) goes after the command \(command)", [])
        }
        let words = arguments.first == "help" ? arguments.dropFirst() : arguments[...]
        func check(_ name: String?, among names: [String], of command: [String]) throws {
            guard let name, !name.hasPrefix("-"), !names.contains(name) else { return }
            let path = (command + [name]).joined(separator: " ")
            throw usageError("unknown command “\(path)”" + didYouMean(name, among: names), command)
        }
        try check(words.first, among: commandNames + ["help"], of: [])
        let command = configuration.subcommands.first { $0.configuration.commandName == words.first }
        if let command, !command.configuration.subcommands.isEmpty {
            try check(
                words.dropFirst().first, among: command.configuration.subcommandNames,
                of: Array(words.prefix(1)))
        }
    }

    /// - Parameter message: the argument parser's message: a sentence, possibly of several lines.
    static func usageError(_ message: String, _ arguments: [String]) -> CommandError {
        let message = unknownOption(before: message, arguments) ?? message
        let lines = message.replacing("\n  - ", with: "\n").split(separator: "\n")
        let values = lines.dropFirst().joined(separator: ", ")
        let sentence = suggesting(String(((lines.first ?? "") + " " + values).trimmingEnd))
        let command = commandNames.first { $0 == arguments.first }
        return CommandError(
            sentence.prefix(1).lowercased() + sentence.dropFirst(), .usage,
            advice: "see `\(["userctl", command, "--help"].compactMap { $0 }.joined(separator: " "))`")
    }
}

extension Userctl {
    /// Says how many a search finds, where a name was typed as the command. Nil in a pipe, and if it finds nobody.
    static func search(insteadOf arguments: [String], _ console: Console) async -> String? {
        let words = arguments.prefix { !$0.hasPrefix("-") }
        guard console.errors.width != nil, let first = words.first,
            !(commandNames + ["help"]).contains(first),
            words.contains(where: canSearch)
        else { return nil }
        // The cache file alone: a userd that does not answer must not delay the error.
        let cache = UserdOrCache(client: nil, database: Paths().cache(console), clock: console.clock)
        let query = ListUsers(search: words.joined(separator: " "), limit: 1)
        guard let found = try? await cache.read(.listUsers, \.listUsers, query).decoded(), found.total > 0
        else {
            return nil
        }
        let people = found.total == 1 ? "1 person" : "\(grouped(found.total)) people"
        return "`userctl who \(words.map(shellQuoted).joined(separator: " "))` finds \(people)"
    }

    /// The argument parser takes the value of an unknown option for a resource, and reports that first.
    private static func unknownOption(before message: String, _ arguments: [String]) -> String? {
        guard let value = message.firstMatch(of: /The value '(.*)' is invalid for '<resources>'/)?.output.1,
            let place = arguments.firstIndex(of: String(value))
        else { return nil }
        var others = arguments
        others.remove(at: place)
        do {
            _ = try parseAsRoot(others)
            return nil
        } catch {
            let other = Self.message(for: error)
            return other.hasPrefix("Unknown option") ? other : nil
        }
    }
}

/// Replaces the argument parser's suggestions: it suggests dissimilar options, no values, and not --help.
private func suggesting(_ sentence: String) -> String {
    if let option = sentence.wholeMatch(of: /(Unknown option '(.+?)')(\. Did you mean '(.+)'\?)?/) {
        let options = ["--help", "--version"] + (option.output.4.map { [String($0)] } ?? [])
        return option.output.1 + didYouMean(String(option.output.2), among: options)
    }
    if sentence.contains(/is invalid for '--?[a-z-]+ <number>'$/) {
        return sentence + "; it must be a whole number up to \(Int.max)"
    }
    if let value = sentence.wholeMatch(
        of: /The value '(.*)' is invalid for .*\. Please provide one of (?:the following: )?(.*)/)
    {
        let values = value.output.2.split(separator: #/, | and | or /#).map {
            String($0.filter { $0 != "'" })
        }
        return sentence + didYouMean(String(value.output.1), among: values)
    }
    return sentence
}

extension CommandConfiguration {
    fileprivate var subcommandNames: [String] {
        subcommands.flatMap { [$0.configuration.commandName].compactMap(\.self) + $0.configuration.aliases }
    }
}

extension String {
    /// The text without spaces and full stops at its end.
    fileprivate var trimmingEnd: Substring {
        lastIndex { $0 != " " && $0 != "." }.map { self[...$0] } ?? ""
    }
}

/// The argument parser's help, with the reference sections moved to its end, below the commands, and with lines that fit
/// the terminal.
func helpPage(_ help: String, on output: Console.Output) -> String {
    let blocks = help.split(separator: "\n\n")
    func isReference(_ block: Substring) -> Bool {
        ["Environment:\n", "Files:\n", "Exit status:\n"].contains { block.hasPrefix($0) }
    }
    return (blocks.filter { !isReference($0) } + blocks.filter(isReference)).joined(separator: "\n\n")
        .split(separator: "\n", omittingEmptySubsequences: false)
        .map { line in
            // The rest of a line goes below its last column, or below its text.
            let before = line.prefixMatch(of: /USAGE: | {2}[^ ].*? {2,}| */)
            return output.filled(String(line), indent: before?.output.count ?? 0)
        }.joined(separator: "\n")
}
