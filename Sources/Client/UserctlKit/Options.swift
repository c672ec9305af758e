import ArgumentParser
import BaseDirectories
import Model
import UserdAPI

/// What a command can print its answer as: the cases, by the names that --output takes.
package protocol OutputFormat: RawRepresentable<String>, ExpressibleByArgument, CaseIterable, Sendable {
    static var table: Self { get }
}

/// Of commands whose answer is one document.
package enum DocumentFormat: String, OutputFormat {
    case table, json
}

/// Of commands that answer with one thing, or with one after the other.
enum LineFormat: String, OutputFormat {
    case table, json, ndjson
}

/// Of commands that answer with a list.
enum ListFormat: String, OutputFormat {
    case table, json, ndjson, csv
}

/// Of commands that answer with users.
package enum UserFormat: String, OutputFormat {
    case table, json, ndjson, csv, vcard, mutt
}

struct FormatOption<Format: OutputFormat>: ParsableArguments {
    @Option(help: ArgumentHelp("How to print: as a table for people, or as data.", valueName: "format"))
    var output = Format.table
}

/// Where userd is, and its cache.
struct PathOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("The socket of userd; else $USERD_SOCKET.", valueName: "path"),
        completion: .file())
    var socket: String?

    @Option(
        help: ArgumentHelp(
            "The cache file to read where userd is not running; else $USERD_DATABASE.", valueName: "path"),
        completion: .file())
    var database: String?

    mutating func validate() throws {
        for (option, path) in [("--socket", socket), ("--database", database)] where path?.isEmpty == true {
            throw ValidationError("\(option) is empty; leave it out, or name a file.")
        }
    }

    var paths: Paths {
        var paths = Paths()
        paths.socket = socket
        paths.database = database
        return paths
    }

    func connection(_ console: Console) -> Connection { paths.connection(console) }
}

extension Console {
    var baseDirectories: BaseDirectories {
        BaseDirectories(variable: environment.value, homeDirectory: environment.value("HOME") ?? "")
    }

    /// Where userd and its cache are, unless the command line names others.
    var usualPaths: (socket: String?, database: String?) {
        let usual = baseDirectories
        return (
            environment.value("USERD_SOCKET") ?? usual.socket,
            environment.value("USERD_DATABASE") ?? usual.database
        )
    }
}

struct ResourceArguments: ParsableArguments {
    @Argument(help: "users or facts; both if neither is named.")
    var resources: [Resource] = []

    /// As the protocol takes them.
    var named: [Resource]? { resources.isEmpty ? nil : resources }
}

/// How much of a list.
struct LengthOptions: ParsableArguments {
    // Else a number below zero would be taken for another option.
    @Option(parsing: .unconditional, help: ArgumentHelp("Print no more than that many.", valueName: "number"))
    var limit: Int?

    @Flag(help: "Print all of them, however many.")
    var all = false

    var length: ListLength {
        var length = ListLength()
        length.limit = limit
        length.all = all
        return length
    }

    mutating func validate() throws {
        if limit != nil, all { throw ValidationError("--limit and --all exclude each other.") }
        try validatePositive(limit, "--limit")
    }
}

func validatePositive(_ number: Int?, _ option: String) throws {
    if let number, number < 1 { throw ValidationError("\(option) takes a number above 0.") }
}

/// Whether there is anything to look for: what has no letter and no digit fits everything.
func canSearch(_ text: String) -> Bool { text.contains { $0.isLetter || $0.isNumber } }

func validateSearch(_ text: String) throws {
    guard canSearch(text) else { throw ValidationError("“\(text)” has no letter or digit to look for.") }
}

extension Resource: ExpressibleByArgument {}
extension UserOrder: ExpressibleByArgument {}
