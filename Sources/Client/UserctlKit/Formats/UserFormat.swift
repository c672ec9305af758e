import StrictJSON
import UserdAPI

extension UserFormat {
    static let explanation = """
        Formats: json is userd's answer as one document; ndjson has one user a line, csv all members in columns (RFC 4180), vcard a vCard 4.0 \
        with the picture if it is cached, mutt an address, a name and a place a line, with 1 as the exit code where there is no address.
        """

    /// - Parameters:
    ///   - method: what answers with the users.
    ///   - connection: for their pictures.
    ///   - columns: of CSV; nil for all.
    func form<Parameters, Output>(
        of method: UserdMethod<Parameters, Output>, _ destination: Destination, _ connection: Connection,
        columns: [String]? = nil
    ) -> ListingForm {
        switch self {
        case .table: .table
        case .json: .document
        case .ndjson: .records(.ndjson(destination))
        case .csv: .records(.csv(columns ?? CSVColumns.user, destination))
        case .vcard:
            .records(
                .users(of: method.qualifiedName) { user in
                    VCard.text(user, photo: await connection.cachedPicture(of: user), destination)
                })
        case .mutt:
            .records(
                .users(of: method.qualifiedName, head: Mutt.head) { Mutt.line($0, destination) })
        }
    }
}
