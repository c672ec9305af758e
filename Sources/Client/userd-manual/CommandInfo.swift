/// The part of the output of `--experimental-dump-help` that a manual page needs.
struct ToolInfo: Decodable {
    var command: CommandInfo
}

struct CommandInfo: Decodable {
    var commandName: String
    var abstract: String?
    var discussion: String?
    var shouldDisplay: Bool
    var arguments: [ArgumentInfo]?
    var subcommands: [CommandInfo]?
}

struct ArgumentInfo: Decodable {
    struct Name: Decodable {
        /// `short`, `long` or `longWithSingleDash`.
        var kind: String
        var name: String
    }

    /// `positional`, `option` or `flag`.
    var kind: String
    var shouldDisplay: Bool
    var sectionTitle: String?
    var isOptional: Bool
    var isRepeating: Bool
    var names: [Name]?
    var valueName: String?
    var defaultValue: String?
    var allValues: [String]?
    var abstract: String?
    var discussion: String?
}
