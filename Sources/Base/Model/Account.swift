/// The person who has signed in to the directory, if the settings let people sign in. JSON: `Account` of io.userd.
package struct Account: Hashable, Sendable, Codable {
    package var signedIn: Bool
    /// The provider's name for the person; nil if it does not say.
    package var name: String?
    /// The provider's address.
    package var provider: String
    package var since: Timestamp?
    /// When the sign-in ends, as far as the provider says.
    package var until: Timestamp?

    package init(
        signedIn: Bool, name: String? = nil, provider: String, since: Timestamp? = nil,
        until: Timestamp? = nil
    ) {
        self.signedIn = signedIn
        self.name = name
        self.provider = provider
        self.since = since
        self.until = until
    }

    enum CodingKeys: String, CodingKey {
        case signedIn = "signed_in"
        case name, provider, since, until
    }
}

/// How a person reaches the provider. JSON: `SignInGrant` of io.userd.
package enum SignInGrant: String, Hashable, Sendable, Codable, CaseIterable {
    /// By a browser on this machine.
    case browser
    /// By a code that is entered in a browser anywhere (RFC 8628).
    case device
    /// By a browser anywhere, whose last address comes back by `paste`.
    case paste
}
