import ArgumentParser
import NearMatch

extension Userctl {
    private static var commandNames: [String] {
        configuration.subcommands.compactMap { $0.configuration.commandName }
    }

    /// The argument parser takes a word that is no command for an argument of userctl, and explains userctl where help is
    /// wanted for one. It has an option of its own that prints scripts with its mistakes in them.
    static func checkCommandName(_ arguments: [String]) throws {
        if arguments.contains(where: { $0.hasPrefix("--generate-completion-script") }) {
            throw CommandError(
                "the option --generate-completion-script does not exist here", .usage,
                advice: "use `userctl completion bash`, or zsh, or fish")
        }
        let names = commandNames + ["help"]
        let name = arguments.first == "help" ? arguments.dropFirst().first : arguments.first
        guard let name, !name.hasPrefix("-"), !names.contains(name) else { return }
        throw usageError("there is no command “\(name)”" + didYouMean(name, among: names), [])
    }

    /// - Parameter message: the argument parser's, which may have several lines and is a sentence.
    static func usageError(_ message: String, _ arguments: [String]) -> CommandError {
        let lines = message.replacing("\n  - ", with: "\n").split(separator: "\n")
        let values = lines.dropFirst().joined(separator: ", ")
        let sentence = ((lines.first ?? "") + " " + values).trimmingEnd
        let command = commandNames.first { $0 == arguments.first }
        return CommandError(
            sentence.prefix(1).lowercased() + sentence.dropFirst(), .usage,
            advice: "see `\(["userctl", command, "--help"].compactMap { $0 }.joined(separator: " "))`")
    }
}

extension String {
    /// Without a full stop.
    fileprivate var trimmingEnd: Substring {
        lastIndex { $0 != " " && $0 != "." }.map { self[...$0] } ?? ""
    }
}

/// The argument parser's help, with what is only looked up at its end, below the commands.
func helpPage(_ help: String) -> String {
    let blocks = help.split(separator: "\n\n")
    func isReference(_ block: Substring) -> Bool {
        ["Environment:\n", "Files:\n", "Exit status:\n"].contains { block.hasPrefix($0) }
    }
    return (blocks.filter { !isReference($0) } + blocks.filter(isReference)).joined(separator: "\n\n")
}
