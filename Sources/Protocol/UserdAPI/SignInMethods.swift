import Model

package struct SignIn: Hashable, Sendable, Codable {
    package var grant: SignInGrant?

    package init(grant: SignInGrant? = nil) { self.grant = grant }
}

/// First what the person does, then who has signed in.
package struct SignInReply: Hashable, Sendable, Codable {
    package var address: String?
    package var code: String?
    /// Seconds.
    package var life: Double?
    package var account: Account?

    package init(
        address: String? = nil, code: String? = nil, life: Double? = nil, account: Account? = nil
    ) {
        (self.address, self.code, self.life, self.account) = (address, code, life, account)
    }
}

package struct FinishSignIn: Hashable, Sendable, Codable {
    package var redirect: String

    package init(redirect: String) { self.redirect = redirect }
}

package struct SignOut: Hashable, Sendable, Codable {
    package var keep: Bool?

    package init(keep: Bool? = nil) { self.keep = keep }
}

package struct SignOutReply: Hashable, Sendable, Codable {
    package var wasSignedIn: Bool
    package var complaint: String?

    package init(wasSignedIn: Bool, complaint: String? = nil) {
        (self.wasSignedIn, self.complaint) = (wasSignedIn, complaint)
    }

    enum CodingKeys: String, CodingKey {
        case wasSignedIn = "was_signed_in"
        case complaint
    }
}
