import ArgumentParser
import Model
import StrictJSON
import TerminalViews
import UserdAPI

struct FactCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fact", abstract: "Print a random fact from the cache, or a new one from upstream.",
        discussion: """
            Examples:
              userctl fact
              userctl fact --max-length 80
              userctl fact --new
            """)

    @Flag(help: "Fetch a new one from upstream; needs userd.")
    var new = false

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Only a fact of at most this many characters.", valueName: "number"))
    var maxLength: Int?

    @OptionGroup var format: FormatOption<LineFormat>
    @OptionGroup var quiet: QuietOption
    @OptionGroup var paths: PathOptions

    mutating func validate() throws {
        if new, maxLength != nil { throw ValidationError("--new and --max-length can't be combined.") }
        try validatePositive(maxLength, "--max-length")
    }

    func run() async throws {
        let console = quiet.console
        let connection = paths.connection(console)
        let answer =
            new
            ? try await requested { try connection.userd().fetchFact() }
            : try await connection.record(of: .facts, console) {
                try await connection.read(.randomFact, \.randomFact, RandomFact(maxLength: maxLength))
            }
        let reply = try answer.decoded()
        switch format.output {
        case .json: try console.write(document: answer.bytes)
        case .ndjson: try console.write(json: jsonLine(answer.member("fact")))
        case .table: try console.show(Text(reply.fact.text))
        }
        if !new { console.note(reply.freshness, of: .facts, connection.source) }
    }
}

struct FactsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "facts", abstract: "List the cached facts, oldest first.",
        discussion: """
            A table on a terminal has the first \(ListLength.usual) facts. Other formats, and a table in a file or a pipe, have all \
            facts. --limit or --all changes that. A search that finds nothing exits with 1.

            Examples:
              userctl facts --search purr
              userctl facts --max-length 60 --limit 5
              userctl facts --output ndjson
            """)

    @Option(help: ArgumentHelp("Only facts with words that begin with these.", valueName: "words"))
    var search: String?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Only facts of at most this many characters.", valueName: "number"))
    var maxLength: Int?

    @OptionGroup var length: LengthOptions
    @OptionGroup var header: HeaderOption
    @OptionGroup var format: FormatOption<ListFormat>
    @OptionGroup var quiet: QuietOption
    @OptionGroup var paths: PathOptions

    mutating func validate() throws {
        if let search, !search.isEmpty { try validateSearch(search) }
        try validatePositive(maxLength, "--max-length")
        try header.check(
            format.output, among: "tables and CSV", hasHeader: [.table, .csv].contains(format.output))
    }

    func run() async throws {
        let console = quiet.console
        let connection = paths.connection(console)
        let listing = ListPrinter(
            resource: .facts, length: length.length(in: format.output, on: console.output),
            form: format.output.form(
                CSVColumns.fact, hasHeader: header.hasHeader, console.destination),
            isFiltered: search != nil || maxLength != nil, isSearched: search?.isEmpty == false,
            console: console)
        func query(_ limit: Int, _ cursor: String?) -> ListFacts {
            ListFacts(search: search, maxLength: maxLength, limit: limit, cursor: cursor)
        }
        try await listing.run(
            from: connection,
            table: RecordWriter(
                reader: FieldReader(["text"]),
                record: { $1 += console.output.rendered(FactItem(text: $0[0]?.string ?? "")) }),
            all: { limit, page in
                try await connection.readAll({ try $0.listAllFacts(query(limit, nil)) }, page)
            },
            fetch: { try await connection.read(.listFacts, \.listFacts, query($0, $1)) })
    }
}

/// A fact in a list, untruncated.
struct FactItem: View {
    let text: String

    var body: some View {
        Row(spacing: 1) {
            Text("•")
            Text(text)
        }
    }
}
