/// The body of a PROPFIND (RFC 4918, section 14.20) or a REPORT (RFC 6352, section 8).
struct DAVRequest: Hashable, Sendable {
    enum Kind: Hashable, Sendable {
        case propfind, multiget, query
        /// A report that this server does not have.
        case other
    }

    enum Properties: Hashable, Sendable {
        case all
        case names
        case some([XMLName])
    }

    /// A card that a multiget asks for.
    enum Reference: Hashable, Sendable {
        case card(id: String)
        /// A path that no card has.
        case other(path: String)
    }

    var kind: Kind
    var properties = Properties.all
    /// Whether vCard 4.0 is asked for instead of 3.0.
    var wantsVersion4 = false
    var references: [Reference] = []
    var filter: CardFilter?
    /// The most cards that a query may find.
    var limit: Int?

    /// The request without a body (RFC 4918, section 9.1).
    static let allProperties = DAVRequest(kind: .propfind)
}

/// Why a request can't be answered.
struct RefusedRequest: Error, Hashable {
    var status: Int
    var reason: String
    /// An element of a `DAV:error` (RFC 4918, section 16).
    var condition: String?

    static func malformed(_ reason: String) -> RefusedRequest { RefusedRequest(status: 400, reason: reason) }
}
