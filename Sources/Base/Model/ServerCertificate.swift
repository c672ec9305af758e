/// What `userd --certificate` prints: who would get a secret. Texts are for people.
package struct ServerCertificate: Hashable, Sendable, Codable {
    package var origin: String
    /// The certificate's common name, or else its first DNS name.
    package var subject: String?
    /// The authority's common name, or else its organization.
    package var issuer: String?
    /// Why there is no certificate to look at.
    package var note: String?
    /// Why nobody may be trusted with a secret there.
    package var complaint: String?

    package init(
        origin: String, subject: String? = nil, issuer: String? = nil, note: String? = nil,
        complaint: String? = nil
    ) {
        (self.origin, self.subject, self.issuer) = (origin, subject, issuer)
        (self.note, self.complaint) = (note, complaint)
    }
}
