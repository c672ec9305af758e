import CommandSupport
import Model

/// The command lines of prompts, status bars and mail clients, read without the argument parser, which takes two fifths as
/// long again as all else that such a command does: it looks up the conformances of each option's type.
///
/// This understands less than the argument parser, and nothing differently. A command line that is the least bit unusual,
/// or wrong, is the argument parser's.
package enum Shortcut: Hashable, Sendable {
    case listing(UserListing)
    case status(StatusReading)
    case showing(UserShowing)

    /// - Parameter arguments: without the program's name.
    package init?(_ arguments: [String]) {
        guard var reading = Reading(arguments.dropFirst()) else { return nil }
        let words = reading.words
        switch arguments.first {
        case "list" where words.isEmpty:
            guard let listing = reading.listing(search: reading.text("--search")) else { return nil }
            self = .listing(listing)
        case "search" where !words.isEmpty:
            guard let listing = reading.listing(search: words.joined(separator: " ")) else { return nil }
            self = .listing(listing)
        case "status":
            let resources = words.compactMap(Resource.init(rawValue:))
            guard resources.count == words.count else { return nil }
            let format = reading.value("--output", LineFormat.init) ?? .table
            self = .status(
                StatusReading(
                    resources: resources, format: format, quiet: reading.flag("--quiet"),
                    paths: reading.paths()))
        case "show" where words.count == 1:
            let format = reading.value("--output", UserFormat.init)
            self = .showing(
                UserShowing(
                    key: words[0], format: format ?? .table, quiet: reading.flag("--quiet"),
                    paths: reading.paths()))
        default: return nil
        }
        guard reading.isUnderstood else { return nil }
    }

    func run() async throws {
        switch self {
        case .listing(let listing): try await listing.run()
        case .status(let status): try await status.run()
        case .showing(let showing): try await showing.run()
        }
    }
}

/// Options, each once, with their values as words of their own; other words; and after `--` nothing but words.
private struct Reading {
    private(set) var words: [String] = []
    /// Few: a dictionary takes longer to have than they take to search.
    private var options: [(name: String, value: String)] = []
    private var isWrong = false

    /// Whether there was nothing but what has been asked for.
    var isUnderstood: Bool { options.isEmpty && !isWrong }

    init?(_ arguments: ArraySlice<String>) {
        var rest = arguments
        while let word = rest.popFirst() {
            if word == "--" {
                words += rest
                return
            }
            guard word.hasPrefix("-") else {
                words.append(word)
                continue
            }
            let name = Self.long(word)
            guard !options.contains(where: { $0.name == name }) else { return nil }
            if name == "--descending" || name == "--all" || name == "--quiet" {
                options.append((name, ""))
            } else if let value = rest.popFirst(), !value.isEmpty, !value.hasPrefix("-") {
                options.append((name, value))
            } else {
                return nil
            }
        }
    }

    private static func long(_ word: String) -> String {
        switch word {
        case "-o": "--output"
        case "-n": "--limit"
        case "-a": "--all"
        case "-q": "--quiet"
        default: word
        }
    }

    mutating func flag(_ name: String) -> Bool { text(name) != nil }

    mutating func text(_ name: String) -> String? {
        options.firstIndex { $0.name == name }.map { options.remove(at: $0).value }
    }

    mutating func value<T>(_ name: String, _ convert: (String) -> T?) -> T? {
        guard let text = text(name) else { return nil }
        let value = convert(text)
        if value == nil { isWrong = true }
        return value
    }

    mutating func paths() -> Paths { Paths(socket: text("--socket"), database: text("--database")) }

    mutating func listing(search: String?) -> UserListing? {
        if let search, !canSearch(search) { return nil }
        var listing = UserListing()
        listing.search = search
        listing.nationality = text("--nationality")
        listing.gender = text("--gender")
        listing.department = text("--department")
        listing.order = value("--order", UserOrder.init) ?? listing.order
        listing.descending = flag("--descending")
        listing.length.limit = value("--limit") { Int($0).flatMap { $0 > 0 ? $0 : nil } }
        listing.length.all = flag("--all")
        listing.columns = value("--columns") { try? UserColumn.list($0) }
        listing.format = value("--output", UserFormat.init) ?? listing.format
        listing.quiet = flag("--quiet")
        listing.paths = paths()
        if listing.length.all, listing.length.limit != nil { return nil }
        return listing.columns != nil && !listing.format.hasColumns ? nil : listing
    }
}
