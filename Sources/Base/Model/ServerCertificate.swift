/// The server that would get a secret, as `userd --certificate` prints it. Texts are for people.
package struct ServerCertificate: Hashable, Sendable, Codable {
    package var origin: String
    /// The certificate's common name, or else its first DNS name.
    package var subject: String?
    /// The authority's common name, or else its organization.
    package var issuer: String?
    /// The reason that there is no certificate to look at.
    package var note: String?
    /// The reason that the server gets no secret.
    package var complaint: String?

    package init(
        origin: String, subject: String? = nil, issuer: String? = nil, note: String? = nil,
        complaint: String? = nil
    ) {
        (self.origin, self.subject, self.issuer) = (origin, subject, issuer)
        (self.note, self.complaint) = (note, complaint)
    }
}
