import StrictJSON

extension DirectoryFormat {
    /// How a directory says what changed since a list.
    package struct Changes: Sendable, Equatable {
        /// Follows the path of the list's address.
        var path = ""
        /// The query that asks for the first token; nil if the last page of a list has it.
        var begin: String?
        /// Is added to the list's query, so that its last page has a token.
        var query: String?
        /// The query parameter that sends the token; nil if the token is an address.
        var param: String?
        /// Finds the token on the last page.
        var token: Pointer
        /// Finds what only the record of somebody who is gone has.
        var removed: Pointer
        /// Whether a record may lack what has not changed.
        var isPartial = false
        /// The query parameter of the members to select, and the one of objects to expand, which changes can only select; nil
        /// if changes have the whole query of the list.
        var select: String?
        var expand: String?
        /// Query parameters that changes can't have.
        var refused: [String] = []
    }
}

extension DirectoryFormat.Changes {
    /// - Parameter format: the name of a format.
    static func named(_ format: String) -> Self? {
        switch format {
        // https://learn.microsoft.com/graph/delta-query-users
        case "graph":
            Self(
                path: "/delta", begin: "$deltatoken=latest", token: Pointer(path: ["@odata.deltaLink"]),
                removed: Pointer(path: ["@removed"]), isPartial: true, select: "$select", expand: "$expand",
                refused: ["$filter", "$search"])
        // https://developers.google.com/people/api/rest/v1/people/listDirectoryPeople
        case "google-people":
            Self(
                query: "requestSyncToken=true", param: "syncToken", token: Pointer(path: ["nextSyncToken"]),
                removed: Pointer(path: ["metadata", "deleted"]))
        default: nil
        }
    }
}
