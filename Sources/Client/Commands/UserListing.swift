import CommandSupport
import Model
import UserdAPI

/// The commands list and search.
package struct UserListing: Hashable, Sendable {
    package var search: String?
    package var nationality: String?
    package var gender: String?
    package var department: String?
    package var order = UserOrder.name
    package var descending = false
    package var length = ListLength()
    /// Nil for the default columns.
    package var columns: [UserColumn]?
    package var format = UserFormat.table
    package var quiet = false
    package var paths = Paths()

    func run() async throws {
        let console = Console.current.quiet(quiet)
        let connection = paths.connection(console)
        let form = format.form(
            of: .listUsers, console.destination, connection, columns: columns?.flatMap(\.csv))
        let columns = columns ?? UserColumn.usual
        func query(_ limit: Int, _ cursor: String?) -> ListUsers {
            ListUsers(
                search: search, nationality: nationality, gender: gender, department: department,
                order: order,
                descending: descending ? true : nil, limit: limit, cursor: cursor)
        }
        let listing = Listing(
            resource: .users, length: length.of(format), form: form,
            isFiltered: [search, nationality, gender, department].contains { $0 != nil },
            isSearched: search?.isEmpty == false, console: console)
        try await listing.run(
            from: connection, table: .table(columns, console.output),
            all: { try $0.listAllUsers(query($1, nil)) },
            fetch: { try await connection.read(.listUsers, \.listUsers, query($0, $1)) })
    }
}

/// --limit and --all.
package struct ListLength: Hashable, Sendable {
    package var limit: Int?
    package var all = false

    static let usual = 100

    func of(_ format: some OutputFormat) -> ListLength {
        limit == nil && format.holdsAll ? ListLength(all: true) : self
    }

    /// Nil for all.
    var maximum: Int? { all ? nil : limit ?? Self.usual }
}
