import ArgumentParser
import Model

/// The values of a command's --output.
protocol OutputFormat: RawRepresentable<String>, ExpressibleByArgument, CaseIterable, Sendable {
    static var table: Self { get }
    /// True for formats with lines that people choose from.
    var isMenu: Bool { get }
}

extension OutputFormat {
    var isMenu: Bool { false }

    /// True if lists have all records unless --limit is given: all data, and tables that a program or a file gets.
    func holdsAll(on output: Console.Output) -> Bool {
        !isMenu && (rawValue != Self.table.rawValue || output.width == nil)
    }
}

/// Formats of commands whose answer is one document.
enum DocumentFormat: String, OutputFormat {
    case table, json
}

/// Formats of commands that print one record, or one after the other.
enum LineFormat: String, OutputFormat {
    case table, json, ndjson
}

/// Formats of commands that print a list.
enum ListFormat: String, OutputFormat {
    case table, json, ndjson, csv
}

/// Formats of commands that print users.
enum UserFormat: String, OutputFormat {
    case table, json, ndjson, csv, vcard, vcard3, mutt

    var isMenu: Bool { self == .mutt }
}

struct FormatOption<Format: OutputFormat>: ParsableArguments {
    @Option(
        name: [.customShort("o", allowingJoined: true), .long],
        help: ArgumentHelp("The output's format: a table for people, or data.", valueName: "format"))
    var output = Format.table
}

struct QuietOption: ParsableArguments {
    @Flag(name: .shortAndLong, help: "Print no notices on stderr, only errors.")
    var quiet = false

    var console: Console { Console.current.quiet(quiet) }

    /// The console for a list of users: text on stderr would overwrite mutt's screen.
    func console(_ format: UserFormat) -> Console { Console.current.quiet(quiet || format == .mutt) }
}

struct PathOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("userd's socket; overrides $USERD_SOCKET.", valueName: "path"),
        completion: .file())
    var socket: String?

    @Option(
        help: ArgumentHelp(
            "The cache file to read if userd is not running; overrides $USERD_DATABASE.", valueName: "path"),
        completion: .file())
    var database: String?

    mutating func validate() throws {
        for (option, path) in [("--socket", socket), ("--database", database)] where path?.isEmpty == true {
            throw ValidationError("\(option) is empty; name a file, or leave it out.")
        }
    }

    var paths: Paths { Paths(socket: socket, database: database) }

    func connection(_ console: Console) -> UserdOrCache { paths.connection(console) }
}

struct ResourceArguments: ParsableArguments {
    @Argument(help: "users or facts; by default all that are turned on.")
    var resources: [Resource] = []

    /// The protocol's value; nil for all.
    var named: [Resource]? { resources.isEmpty ? nil : resources }
}

/// The number of records in a list.
struct ListLength {
    static let usual = 100

    let limit: Int?
    let all: Bool

    /// Nil for all.
    var maximum: Int? { all ? nil : limit ?? Self.usual }
}

struct LengthOptions: ParsableArguments {
    // Unconditional, so that a negative number is not taken for an option.
    @Option(
        name: [.customShort("n", allowingJoined: true), .long], parsing: .unconditional,
        help: ArgumentHelp("Print at most this many.", valueName: "number"))
    var limit: Int?

    @Flag(name: .shortAndLong, help: "Print all, also in a table on a terminal.")
    var all = false

    func length(in format: some OutputFormat, on output: Console.Output) -> ListLength {
        ListLength(limit: limit, all: all || limit == nil && format.holdsAll(on: output))
    }

    mutating func validate() throws {
        if limit != nil, all { throw ValidationError("--limit and --all can't be combined.") }
        try validatePositive(limit, "--limit")
    }
}

struct HeaderOption: ParsableArguments {
    @Flag(help: "Print no header: no titles above a table, no names of columns above CSV, no count for mutt.")
    var noHeader = false

    var hasHeader: Bool { !noHeader }

    /// Throws if the option is given with a format that has no header.
    func check(_ format: some OutputFormat, among formats: String, hasHeader: Bool) throws {
        guard noHeader, !hasHeader else { return }
        throw ValidationError("--no-header is for \(formats); \(format.rawValue) has no header.")
    }
}

func validatePositive(_ number: Int?, _ option: String) throws {
    if let number, number < 1 { throw ValidationError("\(option) must be a number above 0.") }
}

func validateSearch(_ text: String) throws {
    guard canSearch(text) else { throw ValidationError("“\(text)” has no letter or digit to search for.") }
}

extension Resource: ExpressibleByArgument {}
extension UserOrder: ExpressibleByArgument {}
