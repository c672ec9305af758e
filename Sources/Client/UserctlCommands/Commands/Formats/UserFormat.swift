import ArgumentParser
import Model
import StrictJSON
import UserdAPI

extension UserFormat {
    var hasColumns: Bool { self == .table || self == .csv }

    /// Prints users. mutt shows the first line as its message, so an error is that line.
    func print(to console: Console, hasHeader: Bool, _ body: () async throws -> Void) async throws {
        do {
            try await body()
        } catch {
            let usage = (error as? ValidationError).map { Userctl.usageError($0.message, []) }
            guard self == .mutt, hasHeader, let error = usage ?? CommandError(error) else { throw error }
            try console.print(error.lines.joined(separator: "; "))
            throw error.status
        }
    }

    static let explanation = """
        Formats: table has columns as wide as its first 10,000 users need, json is userd's answer as one document, ndjson one \
        user a line, csv all members as columns (RFC 4180), vcard a vCard 4.0 with the cached picture and vcard3 a vCard 3.0, which more programs read, mutt a line with their number or an error, and one of address, name, and title with department for each address.
        """

    /// - Parameters:
    ///   - connection: for pictures.
    ///   - columns: CSV's; nil for all members.
    ///   - hasHeader: CSV's and mutt's.
    func form<Parameters, Output>(
        of method: UserdMethod<Parameters, Output>, _ destination: Destination, _ connection: UserdOrCache,
        columns: [UserColumn]? = nil, hasHeader: Bool = true
    ) -> ListForm {
        switch self {
        case .table: .table
        case .json: .document
        case .ndjson: .records(.ndjson(destination))
        case .csv:
            .records(
                .csv(
                    columns.map { CSV($0, destination: destination) }
                        ?? CSV(CSVColumns.user, destination: destination), hasHeader: hasHeader))
        case .vcard, .vcard3:
            .records(
                .users(of: method.qualifiedName) {
                    VCard.text(
                        $0, version: self == .vcard3 ? .v3 : .v4,
                        photo: connection.cachedPicture($0.picture), isForTerminal: destination.isTerminal)
                })
        case .mutt: .records(.mutt(of: method.qualifiedName, hasHeader: hasHeader, destination))
        }
    }
}
