import Browse
import CommandSupport
import Diagnostics
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
        let rest = arguments.dropFirst()
        switch arguments.first {
        case "list":
            guard let listing = Self.listing(Reading(rest), words: false) else { return nil }
            self = .listing(listing)
        case "search":
            guard let listing = Self.listing(Reading(rest), words: true) else { return nil }
            self = .listing(listing)
        case "status":
            guard let status = Self.status(Reading(rest)) else { return nil }
            self = .status(status)
        case "show":
            guard let showing = Self.showing(Reading(rest)) else { return nil }
            self = .showing(showing)
        default: return nil
        }
    }

    func run() async throws {
        switch self {
        case .listing(let listing): try await listing.run()
        case .status(let status): try await status.run()
        case .showing(let showing): try await showing.run()
        }
    }

    private static func listing(_ reading: Reading?, words: Bool) -> UserListing? {
        guard var reading, reading.words.isEmpty != words else { return nil }
        var listing = UserListing()
        listing.search = words ? reading.words.joined(separator: " ") : reading.text("--search")
        if let search = listing.search, !canSearch(search) { return nil }
        listing.nationality = reading.text("--nationality")
        listing.gender = reading.text("--gender")
        listing.order = reading.value("--order", UserOrder.init) ?? listing.order
        listing.descending = reading.flag("--descending")
        listing.length.limit = reading.value("--limit") { Int($0).flatMap { $0 > 0 ? $0 : nil } }
        listing.length.all = reading.flag("--all")
        listing.columns = reading.value("--columns") { try? UserColumn.list($0) }
        listing.format = reading.value("--output", UserFormat.init) ?? listing.format
        listing.paths = reading.paths()
        guard !(listing.length.all && listing.length.limit != nil) else { return nil }
        return reading.isUnderstood ? listing : nil
    }

    private static func status(_ reading: Reading?) -> StatusReading? {
        guard var reading, reading.words.isEmpty else { return nil }
        var status = StatusReading()
        status.format = reading.value("--output", DocumentFormat.init) ?? status.format
        status.paths = reading.paths()
        return reading.isUnderstood ? status : nil
    }

    private static func showing(_ reading: Reading?) -> UserShowing? {
        guard var reading, reading.words.count == 1 else { return nil }
        var showing = UserShowing(reading.words[0])
        showing.format = reading.value("--output", UserFormat.init) ?? showing.format
        showing.paths = reading.paths()
        return reading.isUnderstood ? showing : nil
    }
}

/// Long options, each once, with their values as words of their own; other words; and after `--` nothing but words.
private struct Reading {
    private(set) var words: [String] = []
    /// Few: a dictionary takes longer to have than they take to search.
    private var options: [Option] = []
    private var isWrong = false

    private struct Option {
        var name: String
        var value: String
    }

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
            guard !options.contains(where: { $0.name == word }) else { return nil }
            if word == "--descending" || word == "--all" {
                options.append(Option(name: word, value: ""))
            } else if let value = rest.popFirst(), !value.isEmpty, !value.hasPrefix("-") {
                options.append(Option(name: word, value: value))
            } else {
                return nil
            }
        }
    }

    mutating func text(_ name: String) -> String? {
        options.firstIndex { $0.name == name }.map { options.remove(at: $0).value }
    }

    mutating func flag(_ name: String) -> Bool { text(name) != nil }

    mutating func value<T>(_ name: String, _ convert: (String) -> T?) -> T? {
        guard let text = text(name) else { return nil }
        let value = convert(text)
        if value == nil { isWrong = true }
        return value
    }

    mutating func paths() -> Paths {
        var paths = Paths()
        paths.socket = text("--socket")
        paths.database = text("--database")
        return paths
    }
}
