import ArgumentParser
import CommandSupport
import Model

/// The values of a command's --output.
protocol OutputFormat: RawRepresentable<String>, ExpressibleByArgument, CaseIterable, Sendable {
    static var table: Self { get }
    /// True if lists in this format have all records unless --limit is given.
    var holdsAll: Bool { get }
}

extension OutputFormat {
    var holdsAll: Bool { rawValue != Self.table.rawValue }
}

/// For commands whose answer is one document.
enum DocumentFormat: String, OutputFormat {
    case table, json
}

/// For commands that print one record, or one after the other.
enum LineFormat: String, OutputFormat {
    case table, json, ndjson
}

/// For commands that print a list.
enum ListFormat: String, OutputFormat {
    case table, json, ndjson, csv
}

/// For commands that print users.
enum UserFormat: String, OutputFormat {
    case table, json, ndjson, csv, vcard, mutt

    /// mutt's lines are for people to choose from.
    var holdsAll: Bool { self != .table && self != .mutt }
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
}

/// The paths of userd's socket and cache file.
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

    /// For the protocol; nil for all.
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

    @Flag(name: .shortAndLong, help: "Print all, in a table too.")
    var all = false

    /// Without --limit, a format that holds all records has all.
    func length(in format: some OutputFormat) -> ListLength {
        ListLength(limit: limit, all: all || limit == nil && format.holdsAll)
    }

    mutating func validate() throws {
        if limit != nil, all { throw ValidationError("--limit and --all can't be combined.") }
        try validatePositive(limit, "--limit")
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
