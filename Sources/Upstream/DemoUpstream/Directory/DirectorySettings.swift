extension DemoUpstream {
    /// What the directories demand and offer.
    package struct DirectorySettings: Sendable, Equatable {
        /// A token that `/scim` and `/directory` require, or one that `/oauth2/token` has issued. Nil for none.
        package var token: String?
        package var clientID = "userd"
        package var clientSecret = "demo-secret"
        /// Lifetime of issued tokens in seconds; 0 for tokens without an end, whose answer doesn't say any.
        package var expiresIn = 3600
        /// Whether SCIM has cursors (RFC 9865) beside indices.
        package var scimCursors = false
        package var maxPageSize = 200

        package init() {}
    }
}

extension DemoUpstream.DirectorySettings: Codable {
    private enum CodingKeys: String, CodingKey {
        case token
        case clientID = "client_id"
        case clientSecret = "client_secret"
        case expiresIn = "expires_in"
        case scimCursors = "scim_cursors"
        case maxPageSize = "max_page_size"
    }

    /// Members that are absent have their defaults.
    package init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        token = try values.decodeIfPresent(String.self, forKey: .token)
        clientID = try values.decodeIfPresent(String.self, forKey: .clientID) ?? clientID
        clientSecret = try values.decodeIfPresent(String.self, forKey: .clientSecret) ?? clientSecret
        expiresIn = try values.decodeIfPresent(Int.self, forKey: .expiresIn) ?? expiresIn
        scimCursors = try values.decodeIfPresent(Bool.self, forKey: .scimCursors) ?? scimCursors
        maxPageSize = try values.decodeIfPresent(Int.self, forKey: .maxPageSize) ?? maxPageSize
    }

    func validate() throws(ControlError) {
        try check("expires_in", expiresIn, 0...1_000_000_000)
        try check("max_page_size", maxPageSize, 1...1_000_000)
    }
}
