import ArgumentParser
import Model

/// Which users, and how many of them and what of each is printed: for `list` and `search`.
package struct UserListOptions: ParsableArguments {
    @Option(help: ArgumentHelp("Only those of one nationality, such as us.", valueName: "code"))
    var nationality: String?

    @Option(help: "Only those of one gender.")
    var gender: String?

    @Option(help: "What to sort by.")
    var order = UserOrder.name

    @Flag(help: "Sort the other way round.")
    var descending = false

    @OptionGroup var length: LengthOptions

    @Option(
        help: ArgumentHelp(
            "What to print of each in a table or in CSV, separated by commas. (default: \(UserColumn.names(UserColumn.usual)); all in CSV)",
            discussion: "There are \(UserColumn.allCases.map(\.rawValue).joined(separator: ", ")).",
            valueName: "names"),
        completion: .columns, transform: UserColumn.list)
    var columns: [UserColumn]?

    package init() {}

    func listing(search: String?, _ format: UserFormat, _ paths: PathOptions) -> UserListing {
        var listing = UserListing()
        listing.search = search
        listing.nationality = nationality
        listing.gender = gender
        listing.order = order
        listing.descending = descending
        listing.length = length.length
        listing.columns = columns
        listing.format = format
        listing.paths = paths.paths
        return listing
    }
}

package struct ListCommand: AsyncParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List users.",
        discussion: """
            Prints the first \(ListLength.usual) unless --limit or --all says otherwise.

            Examples:
              userctl list --nationality fr --order age --descending
              userctl list --search "berlin" --columns name,email,city
              userctl list --all --output csv > users.csv
              userctl list --all --output ndjson | jq --raw-output .email
              userctl list --search berlin --output vcard > berlin.vcf

            \(UserFormat.explanation)
            """)

    @Option(
        help: ArgumentHelp(
            "Only those in whose name, username, email, city or country some word begins with each of these.",
            valueName: "words"))
    var search: String?

    @OptionGroup var list: UserListOptions
    @OptionGroup var format: FormatOption<UserFormat>
    @OptionGroup var paths: PathOptions

    package init() {}

    package mutating func validate() throws {
        if let search, !search.isEmpty { try validateSearch(search) }
    }

    package var listing: UserListing { list.listing(search: search, format.output, paths) }

    package func run() async throws { try await listing.run() }
}

package struct SearchCommand: AsyncParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "search", abstract: "List the users that some words fit: short for list --search.",
        discussion: """
            Each word has to begin a word of the name, username, email, city or country.

            Examples:
              userctl search anna ber
              userctl search example.com --columns email
              userctl search anna --output mutt

            For addresses in mutt: set query_command="userctl search --output mutt -- %s"

            \(UserFormat.explanation)
            """)

    @Argument(help: "What to look for.")
    var words: [String]

    @OptionGroup var list: UserListOptions
    @OptionGroup var format: FormatOption<UserFormat>
    @OptionGroup var paths: PathOptions

    package init() {}

    package mutating func validate() throws {
        try validateSearch(words.joined(separator: " "))
    }

    package var listing: UserListing {
        list.listing(search: words.joined(separator: " "), format.output, paths)
    }

    package func run() async throws { try await listing.run() }
}
