import ArgumentParser
import Model
import UserdAPI

struct UserListOptions: ParsableArguments {
    @Option(help: ArgumentHelp("Only users of this nationality, such as us.", valueName: "code"))
    var nationality: String?

    @Option(help: "Only users of this gender.")
    var gender: String?

    @Option(
        help: ArgumentHelp(
            "Only users of this department; if nobody has it, of those that begin with it.", valueName: "name"
        ),
        completion: .department)
    var department: String?

    @Option(
        help: ArgumentHelp(
            "Only users in this city; if nobody has it, in those that begin with it.", valueName: "name"),
        completion: .city)
    var city: String?

    @Option(help: ArgumentHelp("Only users in this country.", valueName: "name"))
    var country: String?

    @Option(help: ArgumentHelp("Only users of this company.", valueName: "name"))
    var company: String?

    @Option(help: ArgumentHelp("Only users with this job title.", valueName: "title"))
    var title: String?

    @Option(
        help: ArgumentHelp(
            "Only users with this manager: an id, a username, an email address or a name.", valueName: "user"),
        completion: .userKey)
    var manager: String?

    @OptionGroup var kind: KindOption

    @Option(help: "The order of the users: by default name, or match for a search in a table on a terminal.")
    var order: UserOrder?

    @Flag(help: "Reverse the order.")
    var descending = false

    @OptionGroup var length: LengthOptions

    @Flag(help: "Print only how many users there are.")
    var count = false

    @Option(
        help: ArgumentHelp(
            """
            The columns of a table or of CSV, separated by commas. \
            (default: in CSV all; in a table \(usualColumns) that someone has, or those of columns in config.yaml)
            """,
            discussion: """
                Columns: \(UserColumn.explained). Paths such as name.first are accepted, too. mailbox is a name with an address, \
                such as Anna Keller <anna@example.com>. In CSV, name and manager have a column for each of their parts.
                """,
            valueName: "names"),
        completion: .columns, transform: UserColumn.reader("column"))
    var columns: [UserColumn]?

    @OptionGroup var header: HeaderOption
    @OptionGroup var format: FormatOption<UserFormat>
    @OptionGroup var quiet: QuietOption
    @OptionGroup var paths: PathOptions

    mutating func validate() throws {
        let hasHeader = format.output.hasColumns || format.output == .mutt
        try header.check(format.output, among: "tables, CSV and mutt", hasHeader: hasHeader)
        if columns != nil, !format.output.hasColumns {
            let members = format.output == .mutt ? "no columns" : "all members"
            throw ValidationError(
                "--columns is for tables and CSV; \(format.output.rawValue) has \(members).")
        }
        if count,
            ![.table, .json].contains(format.output) || columns != nil || length.limit != nil || length.all
        {
            throw ValidationError("--count prints a number alone, also as json: leave out the other options.")
        }
    }

    func list(search: String?) async throws {
        let console = quiet.console(format.output)
        try await format.output.print(to: console, hasHeader: header.hasHeader) {
            if let search { try validateSearch(search) }
            try await list(search: search, console)
        }
    }

    private func list(search: String?, _ console: Console) async throws {
        let connection = paths.connection(console)
        let form = format.output.form(
            of: .listUsers, console.destination, connection, columns: columns, hasHeader: header.hasHeader)
        // Not for CSV, whose readers expect the same columns on every machine.
        var columns = try columns ?? (format.output == .table ? console.configuredColumns() : nil)
        if self.columns == nil, kind.hasOthers, let configured = columns, !configured.contains(.kind) {
            columns = configured + [.kind]
        }
        let beginnings = try await connection.beginnings(department: department, city: city, console)
        let isOnTerminal = format.output == .table && console.output.width != nil
        let order = order ?? (search != nil && isOnTerminal && !descending ? .match : .name)
        func query(_ limit: Int, _ cursor: String?) -> ListUsers {
            ListUsers(
                search: search, nationality: nationality, gender: gender, department: department,
                order: order, descending: descending ? true : nil, limit: limit, cursor: cursor
            ) {
                ($0.city, $0.country, $0.company, $0.title) = (city, country, company, title)
                ($0.manager, $0.beginnings) = (manager, beginnings ? true : nil)
                $0.kinds = kind.kinds
            }
        }
        let kinds = kind.kinds.map { $0.map(\.rawValue).joined() }
        let filters = [
            search, nationality, gender, department, city, country, company, title, manager, kinds,
        ]
        let listing = ListPrinter(
            resource: .users,
            // A search may have more users than its total.
            length: count
                ? ListLength(limit: search == nil ? 1 : nil, all: search != nil)
                : length.length(in: format.output, on: console.output), form: form, countsOnly: count,
            isFiltered: filters.contains { $0 != nil }, isSearched: search?.isEmpty == false,
            near: { await connection.nearLines(query(CommandError.mostNear, nil)) },
            others: search != nil && isOnTerminal && kind.kinds == nil && !count
                ? { await connection.others(than: query(1, nil)) } : nil,
            console: console)
        let table = RecordWriter.table(
            columns, usual: kind.hasOthers ? UserColumn.usualWithKind : UserColumn.usual,
            hasHeader: header.hasHeader, links: try isOnTerminal && console.drawsLinks(), console.output)
        try await connection.namingAmbiguous {
            try await listing.run(
                from: connection, table: table,
                all: { limit, page in
                    try await connection.knowing(query(limit, nil)) { query in
                        try await connection.readAll({ try $0.listAllUsers(query) }, page)
                    }
                },
                fetch: { try await connection.page(query($0, $1)) })
        }
    }
}

private let usualColumns = UserColumn.usual.map { $0.aliases.first ?? $0.key }.joined(separator: ", ")

struct ListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List users.",
        discussion: """
            A table on a terminal and mutt's lines have the first \(ListLength.usual) users. Other formats, and a table in a file or \
            a pipe, have all users. --limit or --all changes that. A search that finds nothing exits with 1, and so does a \
            department, city, country, company, title or manager that nobody has: the nearest are on stderr. A table leaves \
            out columns that don't fit the terminal; name, address, number and the columns that you name stay.

            Examples:
              userctl list --nationality fr --order age --descending
              userctl list --manager anna@example.com --order department
              userctl list --search "berlin" --columns name,email,city
              userctl list --country Germany --count
              userctl list --columns email --no-header
              userctl list --output csv > users.csv
              userctl list -o ndjson | jq --raw-output .email
              userctl list --search berlin --output vcard > berlin.vcf

            \(UserFormat.explanation)
            """)

    @Option(
        help: ArgumentHelp(
            "Only the users that the command search finds with these words.",
            valueName: "words"))
    var search: String?

    @OptionGroup var options: UserListOptions

    func run() async throws { try await options.list(search: search == "" ? nil : search) }
}

struct SearchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "search", abstract: "Search for users: short for list --search.",
        discussion: """
            Finds the users with words that begin with the given ones in their name, username, address, department, job title \
            and the like. Case, accents, apostrophes and spellings such as Müller and Mueller make no difference, and words can \
            be joined: vandenberg. Telephone numbers are found however they are written, with or without the country's code, by \
            four digits or more within them, or by an extension such as x4711. An email address is found by its name's words and \
            from the @ on, an employee number of four characters or more as a whole, and a company unless a tenth of the users \
            are of it.

            Prints as many users as list does; a table on a terminal has those first whom it finds by their names. If it finds \
            none, it shows on stderr the names that are nearest, and how many have each, and exits with 1.

            Its short name is who.

            Examples:
              userctl search anna ber
              userctl who anna ber
              userctl search @example.com --columns email
              userctl search 079 202 16 61 --columns name,phones
              userctl search anna --output mutt

            For addresses in mutt: set query_command="userctl search --output mutt -- %s"

            \(UserFormat.explanation)
            """, aliases: ["who"])

    @Argument(help: "The beginnings of words to search for.")
    var words: [String]

    @OptionGroup var options: UserListOptions

    func run() async throws { try await options.list(search: words.joined(separator: " ")) }
}

extension UserdOrCache {
    /// Whether nobody has one of these departments and cities whole, while somebody's begins with it.
    func beginnings(department: String?, city: String?, _ console: Console) async throws -> Bool {
        var isBeginning = false
        for (name, text, filter) in [
            ("department", department, \ListUsers.department), ("city", city, \.city),
        ] {
            guard let text, canSearch(text) else { continue }
            var query = ListUsers(limit: 1)
            query[keyPath: filter] = text
            if try await read(.listUsers, \.listUsers, query).decoded().total > 0 { continue }
            query.beginnings = true
            // An older userd, which still runs, refuses this.
            let begun = try? await read(.listUsers, \.listUsers, query).decoded()
            guard let begun, begun.total > 0 else { continue }
            isBeginning = true
            console.notice("no \(name) is called “\(text)”: showing those that begin with it")
        }
        return isBeginning
    }
}
